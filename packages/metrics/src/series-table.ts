import { FrameworkError } from "@framework/core";
import { type LabelList, labelValue } from "./family.ts";

/** Label values by label name. */
export type LabelValues<Label extends string> = Readonly<Record<Label, string | number | boolean>>;

/** Options of `SeriesTable`. */
export interface SeriesTableOptions<T> {
  /** Name of the metric, for messages. */
  readonly name: string;
  readonly labelNames: readonly string[];
  /** Maximum number of series. */
  readonly limits: { readonly maxSeries: number };
  readonly create: (labels: LabelList) => T;
}

/** The bounded series of one metric by labels; further label values are aggregated as `overflow`. */
export class SeriesTable<T> {
  private readonly options: SeriesTableOptions<T>;
  private readonly series: Map<string, T> = new Map();
  private overflow: T | null = null;

  constructor(options: SeriesTableOptions<T>) {
    this.options = options;
  }

  /** Returns the series of these labels, created on first use. @throws METRICS_BAD_LABELS for a missing or extra label */
  get(labels: Readonly<Record<string, string | number | boolean>>): T {
    const values = this.valuesOf(labels);
    const key = keyOf(values);
    const known = this.series.get(key);
    if (known !== undefined) return known;
    const { labelNames, limits, create } = this.options;
    const labelsWith = (value: (index: number) => string): string[] =>
      labelNames.flatMap((name, index) => [name, value(index)]);
    if (this.series.size >= limits.maxSeries) return (this.overflow ??= create(labelsWith(() => "overflow")));
    const created = create(labelsWith((index) => values[index] ?? ""));
    this.series.set(key, created);
    return created;
  }

  /** Returns every series, including the overflow. */
  all(): T[] {
    return [...this.series.values(), ...(this.overflow === null ? [] : [this.overflow])];
  }

  private valuesOf(labels: Readonly<Record<string, string | number | boolean>>): string[] {
    const { name, labelNames } = this.options;
    const isComplete =
      typeof labels === "object" &&
      (labels as unknown) !== null &&
      Object.keys(labels).length === labelNames.length &&
      labelNames.every((label) => Object.hasOwn(labels, label));
    if (isComplete) return labelNames.map((label) => labelValue(labels[label] ?? ""));
    throw new FrameworkError(
      "METRICS_BAD_LABELS",
      labelNames.length === 0
        ? `${name} has no labels`
        : `${name} must be given exactly these labels: ${labelNames.join(", ")}`,
    );
  }
}

const NUL = "\u0000";

/** Returns a unique key: the values joined by NUL, or JSON if a value contains NUL. */
const keyOf = (values: readonly string[]): string =>
  values.length > 1 && values.some((value) => value.includes(NUL))
    ? JSON.stringify(values)
    : values.join(NUL);
