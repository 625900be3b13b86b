import { App } from "@framework/core";
import type { ConfigInput } from "@framework/core/feature";
import { type VirtualClock, virtualClock } from "@framework/testing";
import { type Caching, caching, type CachingConfig } from "./index.ts";

/** Creates a clock that starts on 1 January 2026. */
export const testClock = (): VirtualClock => virtualClock({ start: Date.parse("2026-01-01T00:00:00Z") });

/** An app with caching, on a virtual clock. */
export interface CachedApp {
  readonly app: App & Caching;
  readonly clock: VirtualClock;
  /** Logged errors and warnings: the code, or the message if there is no code. */
  readonly logged: readonly string[];
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<ReceivedReply>;
  send(method: string, path: string, init?: RequestInit): Promise<ReceivedReply>;
}

/** A reply as the client sees it. */
export interface ReceivedReply {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
  /** `X-Cache`. */
  readonly outcome: string | null;
}

export const cachedApp = (config: ConfigInput<CachingConfig> = {}): CachedApp => {
  const clock = testClock();
  const app = new (App.with(caching))().enableCaching({ clock, ...config });
  const logged: string[] = [];
  const note = (message: string, fields: Readonly<Record<string, unknown>> = {}) =>
    void logged.push(typeof fields["code"] === "string" ? fields["code"] : message);
  let started: Promise<unknown> | null = null;
  const send = async (method: string, path: string, init: RequestInit = {}): Promise<ReceivedReply> => {
    await (started ??= app.start({ log: { info: () => {}, warn: note, error: note } }));
    const reply = await app.fetch(new Request(`http://localhost${path}`, { method, ...init }));
    const text = await reply.text();
    return { status: reply.status, text, headers: reply.headers, outcome: reply.headers.get("x-cache") };
  };
  return { app, clock, logged, send, get: (path, headers = {}) => send("GET", path, { headers }) };
};

/** Creates a promise that a handler waits for, and the function that resolves it. */
export const gate = (): { readonly opened: Promise<void>; readonly open: () => void } => {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
};
