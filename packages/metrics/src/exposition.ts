import { preferredType } from "@framework/core/http";
import type { LabelList } from "./family.ts";
import type { MergedMetric, Series } from "./merge.ts";

/** An exposition format. */
export interface Format {
  /** Value of `Content-Type`; Prometheus 3 requires it exactly. */
  readonly contentType: string;
  readonly isOpenMetrics: boolean;
}

const text: Format = { contentType: "text/plain; version=0.0.4; charset=utf-8", isOpenMetrics: false };
const openMetrics: Format = {
  contentType: "application/openmetrics-text; version=1.0.0; charset=utf-8",
  isOpenMetrics: true,
};

/** Returns OpenMetrics 1.0 if the client prefers it, else the text format 0.0.4, which every scraper supports. */
export const formatFor = (accept: string | null): Format => {
  const ranges = accept?.replaceAll(/;[ \t]*escaping=[\w-]+/gi, "") ?? null; // escaping schemes affect only names that this package rejects
  const type = preferredType(ranges, [text.contentType, openMetrics.contentType]);
  return type === openMetrics.contentType ? openMetrics : text;
};

/** Series per slice: a few milliseconds of work for histograms. */
const SLICE = 100;

/** Serializes metrics in slices of 100 series, each a few tens of KiB; a series' own labels override `defaultLabels`. */
export function* writeSlices(
  metrics: readonly MergedMetric[],
  format: Format,
  defaultLabels: Readonly<Record<string, string>>,
): Generator<string, void> {
  const defaults = Object.entries(defaultLabels).flat();
  const names = new Set(metrics.map(({ family }) => family.name));
  for (const metric of metrics) {
    const { series } = metric;
    for (let at = 0; at === 0 || at < series.length; at += SLICE) {
      const title = at === 0 ? titleOf(metric.family, format, names) : [];
      const lines = linesOf({ ...metric, series: series.slice(at, at + SLICE) }, format, defaults);
      yield `${[...title, ...lines].join("\n")}\n`;
    }
  }
  if (format.isOpenMetrics) yield "# EOF\n";
}

const titleOf = (
  { name, help, type }: MergedMetric["family"],
  { isOpenMetrics }: Format,
  names: ReadonlySet<string>,
): string[] => {
  const lines = (title: string, word: string): string[] => [
    `# HELP ${title} ${escapeText(help, isOpenMetrics)}`,
    `# TYPE ${title} ${word}`,
  ];
  if (!isOpenMetrics || type !== "counter") return lines(name, type);
  // OpenMetrics requires the suffix _total of a counter's sample, a metric name without it, and unique metric names.
  const title = name.replace(/_total$/, "");
  return names.has(title) ? lines(name, "unknown") : lines(title, type);
};

const linesOf = (
  { family, series, offset = 0 }: MergedMetric,
  { isOpenMetrics }: Format,
  defaults: LabelList,
): string[] => {
  const { name, type } = family;
  const lines: string[] = [];
  for (const one of series) {
    const { labels, numbers } = one;
    const all = withDefaults(labels, defaults);
    if (type === "histogram" || type === "summary") {
      lines.push(...distribution(family, { ...one, labels: all }, offset, isOpenMetrics));
    } else lines.push(`${name}${labelsText(all)} ${number(numbers[offset] ?? 0)}`);
  }
  return lines;
};

/** Returns the lines of the cumulative buckets of a histogram (none for a summary), then those of sum and count. */
const distribution = (
  { name, type, bounds: usual = [] }: MergedMetric["family"],
  { labels, numbers, bounds: own }: Series,
  offset: number,
  isOpenMetrics: boolean,
): string[] => {
  const bounds = own ?? usual;
  const lines: string[] = [];
  let count = 0;
  for (const [index, bound] of [...bounds, Infinity].entries()) {
    count += numbers[offset + index] ?? 0;
    const le = isOpenMetrics && Number.isInteger(bound) && bound < 1e15 ? `${bound}.0` : number(bound);
    if (type === "histogram")
      lines.push(`${name}_bucket${labelsText([...labels, "le", le])} ${number(count)}`);
  }
  lines.push(`${name}_sum${labelsText(labels)} ${number(numbers[offset + bounds.length + 1] ?? 0)}`);
  lines.push(`${name}_count${labelsText(labels)} ${number(count)}`);
  return lines;
};

const withDefaults = (labels: LabelList, defaults: LabelList): LabelList => {
  if (defaults.length === 0) return labels;
  const own = new Set(labels.filter((_, index) => index % 2 === 0));
  const missing = defaults.filter((_, index) => !own.has(defaults[index - (index % 2)] ?? ""));
  return [...labels, ...missing];
};

const labelsText = (labels: LabelList): string => {
  if (labels.length === 0) return "";
  const pairs: string[] = [];
  for (let index = 0; index < labels.length; index += 2) {
    pairs.push(`${labels[index]}="${escapeText(labels[index + 1] ?? "", true)}"`);
  }
  return `{${pairs.join()}}`;
};

const escapeText = (value: string, quotes: boolean): string => {
  const plain = value.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
  return quotes ? plain.replaceAll('"', '\\"') : plain;
};

const number = (value: number): string => {
  if (value === Infinity) return "+Inf";
  return value === -Infinity ? "-Inf" : String(value);
};
