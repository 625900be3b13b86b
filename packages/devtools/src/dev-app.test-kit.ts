import { request as send } from "node:http";
import { text } from "node:stream/consumers";
import { App, type Environment, type Running } from "@framework/core";
import type { ConfigInput, Feature, Panel } from "@framework/core/feature";
import { waitFor } from "@framework/testing";
import { devtools } from "./devtools.ts";
import type { DevtoolsConfig } from "./devtools-config.ts";
import type { Call, Message, Outcome } from "./messages.ts";

/** Publishes the panels of a test, and reports reasons. */
const kettle: Feature<{ enableKettle(panels?: readonly Panel[]): unknown }> = {
  name: "kettle",
  install: (host) => ({
    enableKettle(panels = []) {
      const { reasons } = host.insight;
      for (const panel of panels) host.insight.panel(panel);
      const boiling = host.insight.histogram({
        name: "kettle_boiling_seconds",
        help: "Time until the water boils.",
        labels: ["kind"],
      });
      host.insight.expose("kettle", () => ({ litres: 2, password: "canary-snapshot" }));
      host.http.use("cache", (request, next) => {
        if (reasons.isObserved)
          reasons.give(request, `the kettle is cold: ${request.getHeader("x-why") ?? "no field"}`);
        boiling.observe(0.2, { kind: "water" });
        return next(request);
      });
    },
  }),
};

/** An app with the tools and the given panels. */
export const devApp = (
  config?: ConfigInput<DevtoolsConfig>,
  panels?: readonly Panel[],
): App & { enableDevtools: unknown; readonly devtoolsUrl: string | null } => {
  const app = new (App.with(devtools, kettle))().enableDevtools(config);
  app.enableKettle(panels);
  return app;
};

/** A log entry. */
export interface LogEntry {
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>> | undefined;
}

/** A running app with the address of its dev page. */
export interface DevService extends AsyncDisposable {
  readonly running: Running;
  readonly logged: readonly LogEntry[];
  /** `http://127.0.0.1:PORT` of the page, and the token. */
  readonly page: { readonly origin: string; readonly port: number; readonly token: string };
}

/** Runs an app. @throws when the service does not start */
export const serve = async (
  app: Pick<App, "run"> & { readonly devtoolsUrl: string | null },
  {
    env = "development",
    debug = true,
    logs = false,
  }: { readonly env?: Environment; readonly debug?: boolean; readonly logs?: boolean } = {},
): Promise<DevService> => {
  const logged: LogEntry[] = [];
  const record = (message: string, fields?: Readonly<Record<string, unknown>>): void =>
    void logged.push({ message, fields });
  const running = await app.run({
    host: "127.0.0.1",
    port: 0,
    argv: [],
    environment: {},
    env,
    debug,
    workers: 1,
    logs,
    exitOnError: false,
    log: { info: record, warn: record, error: record },
  });
  const { origin, port, hash } = new URL(app.devtoolsUrl ?? "http://127.0.0.1:1/#token=");
  return {
    running,
    logged,
    page: { origin, port: Number(port), token: hash.slice("#token=".length) },
    [Symbol.asyncDispose]: () => running.close(),
  };
};

/** A reply of the page. */
export interface PageReply {
  readonly status: number;
  readonly body: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Sends a request to the page with exactly these header fields, including fields that `fetch` forbids. */
export const sendToPage = (
  { page }: Pick<DevService, "page">,
  path: string,
  options: {
    readonly method?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string;
  } = {},
): Promise<PageReply> => {
  const { promise, resolve, reject } = Promise.withResolvers<PageReply>();
  const sent = send(
    { host: "127.0.0.1", port: page.port, path, method: options.method ?? "GET", headers: options.headers },
    (reply) => {
      if (reply.headers["content-type"]?.startsWith("text/event-stream") === true) {
        reply.destroy();
        resolve({ status: reply.statusCode ?? 0, body: "", fields: reply.headers });
        return;
      }
      void text(reply).then((body) =>
        resolve({ status: reply.statusCode ?? 0, body, fields: reply.headers }),
      );
    },
  );
  sent.on("error", reject);
  sent.end(options.body);
  return promise;
};

/** Calls a worker as the page does. */
export const call = async (
  service: Pick<DevService, "page">,
  sent: Call,
  worker: string | null = null,
): Promise<Outcome> => {
  const { body } = await sendToPage(service, "/call", {
    method: "POST",
    headers: {
      authorization: `Bearer ${service.page.token}`,
      "content-type": "application/json",
      origin: service.page.origin,
    },
    body: JSON.stringify({ ...sent, worker }),
  });
  return JSON.parse(body) as Outcome;
};

/** An open page without a browser, with its received messages. */
export interface OpenPage extends AsyncDisposable {
  readonly messages: readonly (Message & { readonly receivedAt: number })[];
  readonly text: () => string;
  /** Resolves with the first matching message. */
  received<T extends Message>(
    matches: (message: Message) => message is T,
  ): Promise<T & { readonly receivedAt: number }>;
}

/** Opens the live stream. */
export const open = async ({ page }: Pick<DevService, "page">): Promise<OpenPage> => {
  const stop = new AbortController();
  const reply = await fetch(`${page.origin}/live`, {
    headers: { authorization: `Bearer ${page.token}` },
    signal: stop.signal,
  });
  const messages: (Message & { readonly receivedAt: number })[] = [];
  let all = "";
  const reading = (async () => {
    let rest = "";
    const decoder = new TextDecoder();
    for await (const chunk of reply.body ?? []) {
      const piece = decoder.decode(chunk as Uint8Array, { stream: true });
      all += piece;
      const frames = (rest + piece).split("\n\n");
      rest = frames.pop() ?? "";
      for (const frame of frames)
        if (frame.startsWith("event: message"))
          messages.push({
            ...(JSON.parse(frame.slice(frame.indexOf("data: ") + 6)) as Message),
            receivedAt: performance.now(),
          });
    }
  })().catch(() => {}); // closed below
  await waitFor(() => all.includes("event: hello"), { subject: "the stream", timeoutMs: 60_000 });
  return {
    messages,
    text: () => all,
    async received(matches) {
      type Received = Message & { readonly receivedAt: number };
      const find = (): Received | undefined => messages.find((message) => matches(message));
      await waitFor(() => find() !== undefined, { subject: "a message of the page", timeoutMs: 60_000 });
      return find() as never; // `matches` has narrowed it
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await reading;
    },
  };
};

/** Matches requests to a path. */
export const requestTo =
  (path: string) =>
  (message: Message): message is Extract<Message, { type: "request" }> =>
    message.type === "request" && message.entry.path === path;

/** Matches the panel with a name. */
export const panelNamed =
  (name: string) =>
  (message: Message): message is Extract<Message, { type: "panel" }> =>
    message.type === "panel" && message.panel.name === name;
