import { App } from "@framework/core";
import { expect, test } from "@jest/globals";
import { parseExposition } from "./exposition-parser.test-kit.ts";
import { prometheus, type PrometheusConfig } from "./index.ts";
import type { PromRegistry } from "./prom-registry.ts";

const makeApp = (config: Partial<PrometheusConfig> = {}) => {
  const app = new (App.with(prometheus))().enablePrometheus({ processMetrics: false, ...config });
  const scrape = async () =>
    parseExposition(await (await app.fetch(new Request("http://localhost/metrics"))).text());
  return { app, metrics: app.metrics, scrape };
};

test("a gauge whose read returns a promise is omitted and logged, and a rejection of the promise is not unhandled", async () => {
  const { app, metrics, scrape } = makeApp();
  const read = () => Promise.reject(new Error("the database is unavailable")) as unknown as number;
  metrics.gauge({ name: "rows", help: "Rows.", read });
  const unhandled: unknown[] = [];
  const note = (reason: unknown): void => void unhandled.push(reason);
  process.on("unhandledRejection", note);
  try {
    const errors: string[] = [];
    const error = (message: string, fields?: object): void =>
      void errors.push(`${message}: ${String((fields as { error?: unknown } | undefined)?.error)}`);
    await app.start({ log: { info: () => {}, warn: () => {}, error } });
    expect((await scrape()).families.has("rows")).toBe(false);
    await new Promise((resolve) => setImmediate(resolve)); // Node reports rejections at the end of a turn
    expect(errors[0]).toBe(
      "the metric rows could not be read: TypeError: read of rows must return a number or samples, not a promise; return the value itself",
    );
    expect(unhandled).toEqual([]);
  } finally {
    process.off("unhandledRejection", note);
  }
});

test("while a registry with process metrics cannot be read, its counters do not grow by the process metrics that replace them", async () => {
  let isBroken = false;
  const name = "process_cpu_seconds_total";
  const registry: PromRegistry = {
    getMetricsAsJSON: async () => {
      if (isBroken) throw new Error("the database is unavailable");
      return [{ name, help: "CPU.", type: "counter", values: [{ value: 100, labels: {} }] }];
    },
  };
  const { app, scrape } = makeApp({ registries: [registry], processMetrics: true });
  await app.start({ log: { info: () => {}, warn: () => {}, error: () => {} } });
  for (const state of [false, true, false]) {
    isBroken = state;
    expect((await scrape()).value(name)).toBe(100);
  }
});
