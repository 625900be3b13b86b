/** Labels of an observation: values of a small, fixed set, never a path, an id or anything else that clients choose. */
export type HistogramLabels<Label extends string> = Readonly<Record<Label, string>>;

/** A histogram that a feature publishes about itself: how long its work takes, how large something is. */
export interface HistogramOptions<Label extends string = never> {
  /** Snake case without the namespace, ending in its base unit: `_seconds`, `_bytes`, `_ratio` or `_items`. */
  readonly name: string;
  /** One sentence on what is observed. */
  readonly help: string;
  /** Names of the labels, 10 at most. @default [] */
  readonly labels?: readonly Label[];
  /** Upper bounds of the buckets, 1 to 60 numbers that ascend. @default bounds for the unit, see `defaultBuckets` */
  readonly buckets?: readonly number[];
}

/** Takes observations; while nothing records them each costs one check, and nothing is kept. */
export interface Histogram<Label extends string = never> {
  /** Whether anything records: spares taking the time where nothing does. */
  readonly isRecorded: boolean;
  /** Observes a value in the unit of the name; one that is not finite is ignored. */
  observe(value: number, ...labels: [Label] extends [never] ? [] : [labels: HistogramLabels<Label>]): void;
}

/** A histogram as recorders see it. */
export interface HistogramDefinition {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  readonly buckets: readonly number[];
}

/** Records the observations of one histogram. It bounds the number of its series itself. */
export type RecordObservation = (value: number, labels: HistogramLabels<string>) => void;

/** Called with each histogram of an app, present and future; gives what records its observations. */
export type HistogramRecorder = (histogram: HistogramDefinition) => RecordObservation;

/** Buckets of a histogram that has none of its own, by the unit in its name. */
export const defaultBuckets: Readonly<Record<string, readonly number[]>> = {
  seconds: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  bytes: [100, 1000, 10_000, 100_000, 1_000_000],
  ratio: [0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1],
  items: [1, 2, 5, 10, 25, 50, 100, 250, 500, 1000],
};

/** The definition that options mean. */
export const histogramDefinition = ({
  name,
  help,
  labels = [],
  buckets = defaultBuckets[unitOf(name)] ?? [],
}: HistogramOptions<string>): HistogramDefinition => ({ name, help, labels, buckets });

/** What is wrong with a histogram besides its name; `null` when nothing is. */
export const histogramProblem = ({ name, labels, buckets }: HistogramDefinition): string | null => {
  if (defaultBuckets[unitOf(name)] === undefined) {
    return `the histogram "${name}" must end in its unit: _${Object.keys(defaultBuckets).join(", _")}`;
  }
  if (labels.length > 10 || new Set(labels).size < labels.length || !labels.every(isLabel)) {
    return `the histogram "${name}" may have 10 labels, each named once in snake case, but not le or quantile`;
  }
  return areBounds(buckets)
    ? null
    : `the buckets of "${name}" must be 1 to 60 numbers, each above the one before`;
};

const unitOf = (name: string): string => name.slice(name.lastIndexOf("_") + 1);

const isLabel = (label: string): boolean =>
  /^[a-z][a-z0-9_]{0,99}$/.test(label) && label !== "le" && label !== "quantile";

const areBounds = (bounds: readonly number[]): boolean =>
  bounds.length >= 1 &&
  bounds.length <= 60 &&
  bounds.every((bound, index) => Number.isFinite(bound) && (index === 0 || bound > (bounds[index - 1] ?? 0)));
