import { type AppSettings, FrameworkError, HttpError } from "@framework/core";
import { type Host, systemClock } from "@framework/core/feature";
import { type ServiceValues, Collector } from "./collector.ts";
import { type Family, seriesOf, type Source } from "./family.ts";
import type { FlushTimer } from "./flush-timer.ts";
import type { DirtyCells } from "./dirty-cells.ts";
import { metricName, readMetrics } from "./metric-families.ts";
import { type MergedMetric, mergeMetrics, requestFamilies, type RequestNames } from "./merge.ts";
import type { OwnMetrics } from "./own-metrics.ts";
import { processRegistry, readRegistry } from "./prom-registry.ts";
import type { PrometheusConfig } from "./prometheus-config.ts";
import type { RequestMeter } from "./request-meter.ts";
import { slowSource } from "./slow-source.ts";

/** Dependencies of `ServiceMetrics`. */
export interface ServiceMetricsParts {
  readonly host: Host;
  readonly config: Readonly<PrometheusConfig>;
  readonly dirty: DirtyCells;
  readonly own: OwnMetrics;
  readonly meter: RequestMeter;
  readonly timer: FlushTimer;
}

/** The metrics of an app over all its workers, from start to stop. */
export class ServiceMetrics {
  private readonly parts: ServiceMetricsParts;
  private readonly prefix: string;
  private collector: Collector | null = null;
  private workers = 1;

  constructor(parts: ServiceMetricsParts) {
    this.parts = parts;
    this.prefix = `${parts.config.namespace}_${parts.config.subsystem}`;
  }

  async start({ workers, log, shared, own: state = shared }: AppSettings): Promise<void> {
    const { dirty, own, timer } = this.parts;
    own.close();
    this.rejectDuplicates();
    const collector = new Collector({
      shared: state,
      key: `metrics/${this.prefix}`,
      dirty,
      sources: this.sources(log),
      slowSources: await this.slowSources(),
      log,
    });
    this.workers = workers;
    this.collector = collector;
    collector.start();
    await collector.send(false);
    if (workers > 1) timer.start(() => collector.send(false)); // a single process needs no flush between scrapes
  }

  async stop(): Promise<void> {
    this.parts.timer.stop();
    await this.collector?.stop();
  }

  /** Returns every metric over all workers. @throws HttpError 503 if the totals cannot be read: the totals of this worker alone would be wrong */
  async metrics(): Promise<MergedMetric[]> {
    const collected = await this.collect();
    const missing = Math.max(0, this.workers - collected.gauges.length);
    return [
      ...(await mergeMetrics(collected, this.requestNames)),
      { family: this.missingWorkers, series: [{ labels: [], numbers: [missing] }] },
    ];
  }

  /** @throws METRICS_BAD_METRIC if two metrics have the same name */
  private rejectDuplicates(): void {
    const { host, own, config } = this.parts;
    const names = [
      ...this.baseFamilies.map(({ name }) => name),
      ...host.insight.metrics().map((metric) => metricName(config.namespace, metric)),
      ...own.families.map(({ name }) => name),
    ];
    const duplicate = names.find((name, index) => names.indexOf(name) !== index);
    if (duplicate === undefined) return;
    throw new FrameworkError("METRICS_BAD_METRIC", `there are two metrics named ${duplicate}; rename yours`);
  }

  private async collect(): Promise<ServiceValues> {
    if (this.collector === null) throw unavailable(null);
    try {
      return await this.collector.collect();
    } catch (error) {
      throw FrameworkError.is(error) ? unavailable(error) : error;
    }
  }

  private sources(log: AppSettings["log"]): Source[] {
    const { host, own, meter, config } = this.parts;
    const families = this.baseFamilies;
    const metrics = host.insight.metrics();
    return [
      () => ({ families, totals: [], gauges: [[seriesOf(this.inFlight.name, []), meter.inFlight]] }),
      () => ({ families: own.families, totals: [], gauges: own.gauges(log) }),
      () => readMetrics(metrics, config.namespace, log),
    ];
  }

  /** Returns the registries, then the process metrics as a fallback. */
  private async slowSources(): Promise<Source[]> {
    const { registries, processMetrics, clock = systemClock } = this.parts.config;
    const sources = registries.map((registry) => slowSource(() => readRegistry(registry), clock));
    if (!processMetrics) return sources;
    const ofProcess = await processRegistry();
    const read: Source = async () => ({ ...(await readRegistry(ofProcess)), isFallback: true });
    return [...sources, slowSource(read, clock)];
  }

  private get requestNames(): RequestNames {
    const { durationBuckets, sizeBuckets } = this.parts.config;
    return { prefix: this.prefix, durationBuckets, sizeBuckets };
  }

  /** The metrics of requests and scrapes. */
  private get baseFamilies(): readonly Family[] {
    return [...requestFamilies(this.requestNames), this.inFlight, this.missingWorkers];
  }

  private get inFlight(): Family {
    const name = `${this.prefix}_requests_in_flight`;
    return { name, help: "Requests without a complete reply.", type: "gauge" };
  }

  private get missingWorkers(): Family {
    const name = `${this.parts.config.namespace}_scrape_missing_workers`;
    return { name, help: "Workers that did not reply to this scrape in time.", type: "gauge" };
  }
}

const unavailable = (cause: unknown): HttpError =>
  new HttpError(503, "The metrics of the workers are unavailable", { cause });
