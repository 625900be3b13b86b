import type { RequestEntry } from "../src/requests/request-entry.ts";
import type { ServiceFacts } from "../src/serve/service-facts.ts";
import type { Message, MetricReport, PanelReport } from "../src/messages.ts";
import type { HistogramReport } from "../src/traffic/histogram-recorder.ts";
import { Traffic } from "./traffic.ts";

const MAX_REQUESTS = 500;
/** Points of a plot, one per second. */
const MAX_POINTS = 120;
/** Time without a report after which a worker is considered stopped. */
const GONE_MS = 5000;

/** One plotted value. */
export interface Series {
  readonly key: string;
  readonly metric: MetricReport;
  readonly labels: string;
  readonly points: number[];
  total: number | null;
}

interface FromWorker<T> {
  readonly value: T;
  readonly at: number;
}

/** State of the page. */
export class Store {
  facts: ServiceFacts | null = null;
  /** Newest first. */
  readonly requests: RequestEntry[] = [];
  isPaused = false;
  readonly series: Map<string, Series> = new Map();
  readonly traffic: Traffic = new Traffic();
  private readonly ids: Set<string> = new Set();
  private readonly panels: Map<string, Map<string, FromWorker<PanelReport>>> = new Map();
  private readonly metrics: Map<string, FromWorker<readonly MetricReport[]>> = new Map();
  private readonly histogramsOf: Map<string, FromWorker<readonly HistogramReport[]>> = new Map();
  private lastTick = 0;

  receive(message: Message): void {
    const at = performance.now();
    switch (message.type) {
      case "request":
        return this.takeRequest(message.entry);
      case "panel": {
        const { panel, worker } = message;
        const workers = this.panels.get(panel.name) ?? new Map<string, FromWorker<PanelReport>>();
        if (panel.scope === "service") workers.clear();
        workers.set(panel.scope === "service" ? "" : worker, { value: panel, at });
        this.panels.set(panel.name, workers);
        return;
      }
      case "metrics":
        this.metrics.set(message.worker, { value: message.metrics, at });
        return;
      case "traffic":
        return this.traffic.receive(message.worker, message.traffic, at);
      case "histograms":
        this.histogramsOf.set(message.worker, { value: message.histograms, at });
    }
  }

  /** Workers with a recent report. */
  workers(): readonly string[] {
    return fresh(this.metrics).map(([worker]) => worker);
  }

  panelNames(): readonly (readonly [name: string, title: string])[] {
    return [...this.panels].flatMap(([name, workers]) => {
      const [first] = fresh(workers);
      return first === undefined ? [] : [[name, first[1].title] as const];
    });
  }

  /** The reports of a panel by worker; a panel of the service has one report under "". */
  panel(name: string): readonly (readonly [worker: string, report: PanelReport])[] {
    return fresh(this.panels.get(name) ?? new Map<string, FromWorker<PanelReport>>());
  }

  /** The histograms of each worker. */
  histograms(): readonly (readonly HistogramReport[])[] {
    return fresh(this.histogramsOf).map(([, reports]) => reports);
  }

  /** Adds a point to each plot; called once a second. */
  tick(): void {
    const now = performance.now();
    this.traffic.tick(now);
    const seconds = this.lastTick === 0 ? 1 : (now - this.lastTick) / 1000;
    this.lastTick = now;
    for (const [key, { metric, labels, value }] of this.sums()) {
      const series = this.series.get(key) ?? { key, metric, labels, points: [], total: null };
      this.series.set(key, series);
      const rate = series.total === null ? 0 : Math.max(0, value - series.total) / seconds;
      series.points.push(metric.type === "counter" ? rate : value);
      if (series.points.length > MAX_POINTS) series.points.shift();
      series.total = value;
    }
  }

  private takeRequest(entry: RequestEntry): void {
    if (this.isPaused || this.ids.has(entry.id)) return;
    this.ids.add(entry.id);
    this.requests.unshift(entry);
    const oldest = this.requests.length > MAX_REQUESTS ? this.requests.pop() : undefined;
    if (oldest !== undefined) this.ids.delete(oldest.id);
  }

  /** Values aggregated over all workers. */
  private sums(): ReadonlyMap<string, { metric: MetricReport; labels: string; value: number }> {
    const sums = new Map<string, { metric: MetricReport; labels: string; value: number }>();
    for (const [, metrics] of fresh(this.metrics))
      for (const metric of metrics)
        for (const [labels, value] of metric.samples) {
          const key = `${metric.name}{${labels}}`;
          const known = sums.get(key);
          if (known === undefined) sums.set(key, { metric, labels, value });
          else known.value = metric.across === "max" ? Math.max(known.value, value) : known.value + value;
        }
    return sums;
  }
}

const fresh = <T>(workers: ReadonlyMap<string, FromWorker<T>>): readonly (readonly [string, T])[] => {
  const since = performance.now() - GONE_MS;
  return [...workers].filter(([, { at }]) => at > since).map(([worker, { value }]) => [worker, value]);
};
