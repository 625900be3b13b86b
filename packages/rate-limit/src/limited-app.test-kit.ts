import { type AppSettings, App } from "@framework/core";
import {
  type ConfigInput,
  type Exemption,
  type Feature,
  type Metric,
  type SharedState,
  systemClock,
} from "@framework/core/feature";
import {
  inProcessState,
  memoryHub,
  primaryState,
  serveSharedState,
  type VirtualClock,
  virtualClock,
} from "@framework/core/testing";
import { type RateLimit, rateLimit } from "./rate-limit.ts";
import type { RateLimitConfig } from "./rate-limit-config.ts";

/** Access to an app's metrics. */
export interface Metrics {
  metrics(): Readonly<Record<string, unknown>>;
  /** Adds a route of a feature. */
  featureRoute(path: string, exempt: readonly Exemption[]): void;
}

const metrics: Feature<Metrics> = {
  name: "metrics",
  install: (host) => ({
    metrics: () =>
      Object.fromEntries(host.insight.metrics().map((metric: Metric) => [metric.name, metric.read()])),
    featureRoute: (path, exempt) => void host.http.route("GET", path, () => "added", { exempt }),
  }),
};

/** Creates an app with the feature, a hello route and access to metrics. */
export const limitedApp = (config?: ConfigInput<RateLimitConfig>): App & RateLimit & Metrics => {
  const app = new (App.with(rateLimit, metrics))().enableRateLimit(config);
  app.get("/", () => "hello");
  return app;
};

/** Creates an in-process state on a controlled clock. */
export const timedState = (): { readonly time: { now: number }; readonly shared: SharedState } => {
  const time = { now: 0 };
  return { time, shared: inProcessState({ clock: { ...systemClock, now: () => time.now } }) };
};

/** Settings of an app without logs. */
export const quiet: Partial<AppSettings> = { log: { info() {}, warn() {}, error() {} } };

interface Cluster {
  readonly clock: VirtualClock;
  /** State of the primary process. */
  readonly state: SharedState;
  /** Adds a worker. */
  readonly join: () => { readonly shared: SharedState; readonly die: () => void };
}

/** Creates a primary process and workers, all in this process and on one virtual clock. */
export const cluster = (): Cluster => {
  const clock = virtualClock();
  const log = { error() {} };
  const hub = memoryHub();
  const state = inProcessState({ clock, log, timeoutMs: Infinity });
  serveSharedState(state, hub);
  const join = () => {
    const link = hub.connect();
    return { die: () => link.close(), shared: primaryState(link.worker, { clock, log }) };
  };
  return { clock, state, join };
};

/** Parses a structured field list of strings with integer parameters (RFC 9651 3.1); throws for other values. */
export const structuredList = (
  field: string | null,
): { name: string; parameters: Record<string, number> }[] => {
  let rest = field ?? "";
  const eat = (pattern: RegExp): RegExpExecArray => {
    const match = new RegExp(`^(?:${pattern.source})`).exec(rest);
    if (match === null) throw new SyntaxError(`not ${pattern.source} at "${rest}"`);
    rest = rest.slice(match[0].length);
    return match;
  };
  const items = [];
  do {
    const [, name = ""] = eat(/"((?:[ !#-[\]-~]|\\["\\])*)"/);
    const parameters: Record<string, number> = Object.create(null);
    while (rest.startsWith(";")) {
      const [, key = "", value = ""] = eat(/; *([a-z*][a-z0-9_\-.*]*)=(-?\d{1,15})(?![\d.])/);
      parameters[key] = Number(value);
    }
    items.push({ name: name.replaceAll(/\\(.)/g, "$1"), parameters });
  } while (rest !== "" && eat(/[ \t]*,[ \t]*/));
  return items;
};
