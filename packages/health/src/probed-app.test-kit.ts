import { App } from "@framework/core";
import type { ConfigInput, Feature, HealthCheck } from "@framework/core/feature";
import { type VirtualClock, virtualClock } from "@framework/testing";
import { type HealthCheckConfig, type HealthChecks, healthChecks } from "./index.ts";

/** Creates a virtual clock that starts at the beginning of 2026. */
export const testClock = (): VirtualClock => virtualClock({ start: Date.parse("2026-01-01T00:00:00Z") });

/** The reply to a probe. */
export interface ProbeReply {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: Headers;
  /** Virtual milliseconds until the reply. */
  readonly tookMs: number;
}

/** An app with health checks, and its clock. */
export interface ProbedApp {
  readonly app: App & HealthChecks;
  readonly clock: VirtualClock;
  /** Messages that the app logged. */
  readonly logged: string[];
  /** Sends a request and advances the clock until the reply. */
  probe(path: string, init?: RequestInit): Promise<ProbeReply>;
}

export const probedApp = (
  config: ConfigInput<HealthCheckConfig> = {},
  { env = "development", checks = [] }: { env?: "development" | "production"; checks?: HealthCheck[] } = {},
): ProbedApp => {
  const clock = testClock();
  const logged: string[] = [];
  const feature: Feature = {
    name: "dependencies",
    install: (host) => {
      for (const check of checks) host.insight.healthCheck(check);
      return {};
    },
  };
  const app = new (App.with(healthChecks, feature))().enableHealthChecks({ clock, ...config });
  const record = (message: string): void => void logged.push(message);
  let started: Promise<unknown> | null = null;
  const probe = async (path: string, init: RequestInit = {}): Promise<ProbeReply> => {
    await (started ??= app.start({ env, log: { info: record, warn: record, error: record } }));
    const startedAt = clock.now();
    let tookMs: number | null = null;
    const pendingReply = app.fetch(new Request(`http://localhost${path}`, init)).then((reply) => {
      tookMs = clock.now() - startedAt;
      return reply;
    });
    for (let waited = 0; tookMs === null && waited < 10_000; waited += 50)
      await clock.advance(waited === 0 ? 0 : 50);
    const reply = await pendingReply;
    const text = await reply.text();
    return {
      status: reply.status,
      body: text === "" ? {} : (JSON.parse(text) as Record<string, unknown>),
      headers: reply.headers,
      tookMs: tookMs ?? Number.NaN,
    };
  };
  return { app, clock, logged, probe };
};
