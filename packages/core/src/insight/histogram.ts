/** Labels of an observation: values of a small, fixed set, never a path, an id or other client input. */
export type HistogramLabels<Label extends string> = Readonly<Record<Label, string>>;

/** A histogram that a feature publishes about itself, such as durations or sizes. */
export interface HistogramOptions<Label extends string = never> {
  /** Snake case without the namespace, ending in its base unit: `_seconds`, `_bytes`, `_ratio` or `_items`. */
  readonly name: string;
  /** One sentence that describes the observed values. */
  readonly help: string;
  /** Names of the labels, 10 at most. @default [] */
  readonly labels?: readonly Label[];
  /** Upper bounds of the buckets, 1 to 60 ascending numbers. @default `defaultBuckets` of the unit */
  readonly buckets?: readonly number[];
}

/** Passes observations to the recorders. Without recorders, an observation costs one check and is dropped. */
export interface Histogram<Label extends string = never> {
  /** Whether there is a recorder; without one, callers can skip measuring. */
  readonly isRecorded: boolean;
  /** Records a value in the unit of the name; ignores non-finite values. */
  observe(value: number, ...labels: [Label] extends [never] ? [] : [labels: HistogramLabels<Label>]): void;
}

/** The definition that recorders receive. */
export interface HistogramDefinition {
  /** Name in reports, with its unit, such as `job_duration_seconds`. */
  readonly name: string;
  /** One sentence for reports. */
  readonly help: string;
  /** Names of the labels. */
  readonly labels: readonly string[];
  /** Upper bounds, ascending. */
  readonly buckets: readonly number[];
}

/** Records one observation of a histogram. The recorder bounds its number of series. */
export type RecordObservation = (value: number, labels: HistogramLabels<string>) => void;

/** Called with each present and future histogram of an app; returns the function that records its observations. */
export type HistogramRecorder = (histogram: HistogramDefinition) => RecordObservation;

/** Default buckets, by the unit in the histogram's name. */
export const defaultBuckets: Readonly<Record<string, readonly number[]>> = {
  seconds: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  bytes: [100, 1000, 10_000, 100_000, 1_000_000],
  ratio: [0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1],
  items: [1, 2, 5, 10, 25, 50, 100, 250, 500, 1000],
};

/** Returns the options with defaults filled in. */
export const histogramDefinition = ({
  name,
  help,
  labels = [],
  buckets = defaultsOf(name) ?? [],
}: HistogramOptions<string>): HistogramDefinition => ({ name, help, labels, buckets });

/** Returns the mistake in a histogram other than its name; `null` for a valid one. */
export const histogramProblem = ({ name, labels, buckets }: HistogramDefinition): string | null => {
  if (defaultsOf(name) === undefined) {
    return `the histogram "${name}" must end in its unit: _${Object.keys(defaultBuckets).join(", _")}`;
  }
  if (labels.length > 10 || new Set(labels).size < labels.length || !labels.every(isLabel)) {
    return `the histogram "${name}" may have at most 10 labels: unique, in snake case, and not le or quantile`;
  }
  return areBounds(buckets) ? null : `the buckets of "${name}" must be 1 to 60 numbers in ascending order`;
};

/** Returns the default buckets of the unit in a name; `undefined` if the name does not end in a unit. */
const defaultsOf = (name: string): readonly number[] | undefined => {
  const unit = name.slice(name.lastIndexOf("_") + 1);
  return Object.hasOwn(defaultBuckets, unit) ? defaultBuckets[unit] : undefined;
};

const isLabel = (label: string): boolean =>
  /^[a-z][a-z0-9_]{0,99}$/.test(label) && label !== "le" && label !== "quantile";

const areBounds = (bounds: readonly number[]): boolean =>
  bounds.length >= 1 &&
  bounds.length <= 60 &&
  bounds.every((bound, index) => Number.isFinite(bound) && (index === 0 || bound > (bounds[index - 1] ?? 0)));
