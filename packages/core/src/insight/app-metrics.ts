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

/** Every metric of one app: those that are read on demand, and histograms with what records them. */
export class AppMetrics {
  /** Metrics that are read on demand. */
  readonly all: Metric[] = [];
  private readonly histograms: Published[] = [];
  private readonly recorders: HistogramRecorder[] = [];
  private readonly names: Set<string> = new Set();
  private readonly wrong: (message: string) => void;

  /** @param wrong told what is wrong with a metric */
  constructor(wrong: (message: string) => void) {
    this.wrong = wrong;
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
      observe(value, labels: HistogramLabels<string> = NO_LABELS) {
        if (records.length === 0 || !Number.isFinite(value)) return;
        for (const record of records) record(value, labels);
      },
    };
    return histogram; // takes labels, whether or not the type lets callers give them
  }

  record(recorder: HistogramRecorder): void {
    this.recorders.push(recorder);
    for (const { definition, records } of this.histograms) records.push(recorder(definition));
  }

  private check(name: string, problem: string | null): void {
    const message = metricNameProblem(name, this.names) ?? problem;
    if (message !== null) this.wrong(message);
    this.names.add(name);
  }
}

interface Published {
  readonly definition: HistogramDefinition;
  readonly records: RecordObservation[];
}

const NO_LABELS: HistogramLabels<string> = Object.freeze({});
