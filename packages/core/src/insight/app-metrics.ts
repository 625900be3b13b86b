import {
  type Histogram,
  type HistogramDefinition,
  histogramDefinition,
  type HistogramLabels,
  type HistogramOptions,
  histogramProblem,
  type HistogramRecorder,
  type RecordObservation,
} from "./histogram.ts";
import { type Metric, metricNameProblem, metricProblem } from "./metric.ts";

/** The metrics of one app: counters and gauges, which are read on demand, and histograms with their recorders. */
export class AppMetrics {
  /** Counters and gauges. */
  readonly all: Metric[] = [];
  private readonly histograms: PublishedHistogram[] = [];
  private readonly recorders: HistogramRecorder[] = [];
  private readonly names: Set<string> = new Set();
  private readonly report: (message: string) => void;

  /** @param report receives the mistake of an invalid metric */
  constructor(report: (message: string) => void) {
    this.report = report;
  }

  add(metric: Metric): void {
    this.check(metric.name, metricProblem(metric));
    this.all.push(metric);
  }

  histogram<const Label extends string = never>(options: HistogramOptions<Label>): Histogram<Label> {
    const definition = histogramDefinition(options);
    this.check(definition.name, histogramProblem(definition));
    const records = this.recorders.map((recorder) => recorder(definition));
    this.histograms.push({ definition, records });
    const histogram: Histogram<never> = {
      get isRecorded() {
        return records.length > 0;
      },
      observe(value, labels: HistogramLabels<string> = noLabels) {
        if (records.length === 0 || !Number.isFinite(value)) return;
        for (const record of records) record(value, labels);
      },
    };
    return histogram; // `Label` restricts callers only
  }

  addRecorder(recorder: HistogramRecorder): void {
    this.recorders.push(recorder);
    for (const { definition, records } of this.histograms) records.push(recorder(definition));
  }

  private check(name: string, problem: string | null): void {
    const message = metricNameProblem(name, this.names) ?? problem;
    if (message !== null) this.report(message);
    this.names.add(name);
  }
}

interface PublishedHistogram {
  readonly definition: HistogramDefinition;
  readonly records: RecordObservation[];
}

const noLabels: HistogramLabels<string> = Object.freeze({});
