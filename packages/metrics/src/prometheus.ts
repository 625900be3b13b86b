import { addVary, type ConfigInput, type Feature, type Host } from "@framework/core/feature";
import { Response } from "@framework/core";
import { formatFor, writeSlices } from "./exposition.ts";
import { inTurns } from "./in-turns.ts";
import { flushTimer } from "./flush-timer.ts";
import { DirtyCells } from "./dirty-cells.ts";
import type { Metrics } from "./metrics.ts";
import { recordOperations } from "./operation-durations.ts";
import { OwnMetrics } from "./own-metrics.ts";
import { PrometheusConfig } from "./prometheus-config.ts";
import { RequestMeter } from "./request-meter.ts";
import { ServiceMetrics } from "./service-metrics.ts";

/** The members that the feature adds to an app. */
export interface Prometheus {
  /**
   * Counts requests and serves all metrics of the app for Prometheus, aggregated over workers.
   *
   * @throws CORE_BAD_CONFIG at start, together with all other configuration errors
   */
  enablePrometheus(config?: ConfigInput<PrometheusConfig>): this;
  /** Creates the app's own metrics. */
  readonly metrics: Metrics;
}

/**
 * Metrics of requests, processes, features and the app itself, for Prometheus.
 *
 * @example
 * const app = new (App.with(prometheus))().enablePrometheus({ namespace: "books" });
 * const sold = app.metrics.counter({ name: "books_sold_total", help: "Books sold.", labelNames: ["genre"] });
 * app.post("/orders", () => sold.inc({ genre: "novel" }));
 */
export const prometheus: Feature<Prometheus> = {
  name: "metrics",
  install: (host) => {
    const limits = { maxSeries: PrometheusConfig.of().maxSeries };
    const timer = flushTimer();
    const dirty = new DirtyCells(timer.arm);
    let isEnabled = false;
    const own = new OwnMetrics({
      dirty,
      limits,
      report: (problem) => host.problem(problem),
      isEnabled: () => isEnabled,
    });
    return {
      metrics: own,
      enablePrometheus(input) {
        const config = host.configure(PrometheusConfig, input);
        isEnabled = true;
        limits.maxSeries = config.maxSeries;
        const now = config.clock?.now ?? (() => performance.now());
        const meter = new RequestMeter({ ...config, dirty, now });
        host.http.use("telemetry", meter.middleware); // outermost, to include the time of other stages
        host.insight.expose("metrics", () => ({ endpoint: config.endpoint, inFlight: meter.inFlight }));
        if (config.operations) recordOperations(host, config.durationBuckets);
        host.insight.recordHistograms((histogram) => own.recordHistogram(histogram, config.namespace));
        serve(host, config, new ServiceMetrics({ host, config, dirty, own, meter, timer }));
        return this;
      },
    };
  },
};

/** Maximum number of series in a buffered reply; a reply with more is streamed. */
const MAX_BUFFERED_SERIES = 500;

const serve = (host: Host, config: Readonly<PrometheusConfig>, metrics: ServiceMetrics): void => {
  host.life
    .onStart({ name: "metrics", run: (settings) => metrics.start(settings) })
    .onStop({ name: "metrics", run: () => metrics.stop() });
  const { endpoint, guards, defaultLabels } = config;
  const scrape = async (accept: string | null): Promise<Response> => {
    const format = formatFor(accept);
    const merged = await metrics.metrics();
    const slices = writeSlices(merged, format, defaultLabels);
    const count = merged.reduce((sum, { series }) => sum + series.length, 0);
    const headers = { "cache-control": "no-store" };
    const options = { contentType: format.contentType, headers };
    const reply =
      count > MAX_BUFFERED_SERIES
        ? Response.stream(inTurns(slices), options)
        : new Response([...slices].join(""), options);
    addVary(reply.headers, "Accept");
    return reply;
  };
  host.http.route("GET", endpoint, (request) => scrape(request.getHeader("accept")), {
    guards,
    exempt: ["guards", "limits", "telemetry"],
  });
};
