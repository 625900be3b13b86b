import { App } from "@framework/core";
import type {
  ConfigInput,
  Feature,
  Histogram as FeatureHistogram,
  SharedState,
} from "@framework/core/feature";
import { inProcessState, memoryHub, primaryState, serveSharedState } from "@framework/core/testing";
import { type Parsed, parseExposition } from "./exposition-parser.test-kit.ts";
import { type Counter, type Gauge, type Prometheus, prometheus, type PrometheusConfig } from "./index.ts";

/** One worker of a service, in this process. */
export interface Worker {
  readonly app: App & Prometheus;
  readonly counter: Counter<"kind">;
  /** Aggregated by sum; three other gauges have the same value and the aggregations max, average and min. */
  readonly gauge: { set(value: number): void };
  readonly levels: Gauge<"place">;
  /** A histogram of another feature. */
  readonly jobs: FeatureHistogram<"kind">;
  /** Sends this number of requests to the worker, one after the other. */
  serve(count: number): Promise<void>;
  scrape(): Promise<Parsed>;
  /** Returns the unparsed reply of a scrape. */
  reply(): Promise<Response>;
  /** Ends the worker without a flush, as a kill does. */
  kill(): void;
  /** Logged errors and warnings. */
  readonly errors: readonly string[];
}

/** A primary process with workers. */
export interface Service {
  /** The primary's own state. */
  readonly state: SharedState;
  /** Starts a worker; `wrap` replaces its shared state. */
  start(wrap?: (shared: SharedState) => SharedState, own?: ConfigInput<PrometheusConfig>): Promise<Worker>;
}

/** Another feature, independent of this one. */
const working: Feature<{ readonly jobs: FeatureHistogram<"kind"> }> = {
  name: "working",
  install: (host) => ({
    jobs: host.insight.histogram({
      name: "job_duration_seconds",
      help: "Duration of jobs.",
      labels: ["kind"],
      buckets: [1, 2],
    }),
  }),
};

/** @param timeoutMs milliseconds after which a worker that handles a scrape counts as done */
export const service = (
  workers: number,
  config: ConfigInput<PrometheusConfig> = {},
  { timeoutMs = 60_000, maxTotals = 16_777_216 }: { timeoutMs?: number; maxTotals?: number } = {},
): Service => {
  const log = { error: () => {} };
  const hub = memoryHub();
  const state = inProcessState({ log, timeoutMs: Infinity, maxTotals });
  serveSharedState(state, hub);
  const start: Service["start"] = async (wrap = (shared) => shared, own = {}) => {
    const link = hub.connect();
    const app = new (App.with(working, prometheus))().enablePrometheus({
      processMetrics: false,
      ...config,
      ...own,
    });
    const counter = app.metrics.counter({ name: "things_total", help: "Things.", labelNames: ["kind"] });
    const sum = app.metrics.gauge({ name: "depth", help: "Depth." });
    const levels = app.metrics.gauge({ name: "levels", help: "Levels.", labelNames: ["place"] });
    let depth = 0;
    const gauge = { set: (value: number) => sum.set((depth = value)) };
    app.metrics.gauge({ name: "deepest", help: "Deepest.", across: "max", read: () => depth });
    app.metrics.gauge({ name: "mean", help: "Mean.", across: "average", read: () => depth });
    app.metrics.gauge({ name: "lowest", help: "Lowest.", across: "min", read: () => depth });
    app.get("/", () => "hello");
    const errors: string[] = [];
    const note = (message: string) => void errors.push(message);
    const shared = wrap(primaryState(link.worker, { log, subscriberMs: timeoutMs }));
    await app.start({ workers, shared, log: { info: () => {}, warn: note, error: note } });
    const get = (path: string) => app.fetch(new Request(`http://localhost${path}`));
    return {
      app,
      counter,
      gauge,
      levels,
      jobs: app.jobs,
      serve: async (count) => {
        for (let done = 0; done < count; done++) await (await get("/")).text();
      },
      scrape: async () => parseExposition(await (await get("/metrics")).text()),
      reply: () => get("/metrics"),
      kill: () => link.close(),
      errors,
    };
  };
  return { state, start };
};
