/** One line of an exposition. */
export interface ParsedSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A metric with its lines. */
export interface ParsedFamily {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly samples: readonly ParsedSample[];
}

/** A strictly parsed exposition. */
export interface Parsed {
  readonly families: ReadonlyMap<string, ParsedFamily>;
  readonly samples: readonly ParsedSample[];
  /** Returns the value of the line with this name and at least these labels; 0 without one. */
  value(name: string, labels?: Readonly<Record<string, string>>): number;
}

const suffixes: Readonly<Record<string, readonly string[]>> = {
  counter: [""],
  gauge: [""],
  unknown: [""],
  histogram: ["_bucket", "_sum", "_count"],
  summary: ["_sum", "_count"],
};

/**
 * Parses the text format 0.0.4 or OpenMetrics 1.0 strictly. Throws for a line that is malformed, outside its metric, duplicate or inconsistent with
 * others.
 */
export const parseExposition = (text: string, isOpenMetrics = false): Parsed => {
  if (!text.endsWith("\n")) throw new Error("the last line has no line break");
  const lines = text.slice(0, -1).split("\n");
  if (isOpenMetrics && lines.pop() !== "# EOF") throw new Error("OpenMetrics ends with # EOF");
  const families = new Map<string, ParsedFamily & { samples: ParsedSample[] }>();
  const seen = new Set<string>();
  let current: (ParsedFamily & { samples: ParsedSample[] }) | null = null;
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? "";
    const help = /^# HELP ([a-zA-Z_:][\w:]*) ([^\n]+)$/.exec(line);
    if (help !== null) {
      const [, name = "", described = ""] = help;
      const type = /^# TYPE ([a-zA-Z_:][\w:]*) (counter|gauge|histogram|summary|unknown)$/.exec(
        lines[++index] ?? "",
      );
      if (type?.[1] !== name) throw new Error(`no TYPE after HELP: ${line}`);
      if (families.has(name)) throw new Error(`duplicate metric: ${name}`);
      if (isOpenMetrics && type[2] === "counter" && name.endsWith("_total"))
        throw new Error(`wrong suffix: ${name}`);
      current = { name, help: described, type: type[2] ?? "", samples: [] };
      families.set(name, current);
      continue;
    }
    if (current === null) throw new Error(`outside a metric: ${line}`);
    const sample = parseSample(line);
    const allowed = isOpenMetrics && current.type === "counter" ? ["_total"] : (suffixes[current.type] ?? []);
    if (!allowed.includes(sample.name.slice(current.name.length)) || !sample.name.startsWith(current.name)) {
      throw new Error(`${sample.name} is not a sample of ${current.name}`);
    }
    const key = JSON.stringify([sample.name, Object.keys(sample.labels).sort(), sample.labels]);
    if (seen.has(key)) throw new Error(`duplicate line: ${line}`);
    seen.add(key);
    current.samples.push(sample);
  }
  for (const family of families.values())
    if (family.type === "histogram") checkHistogram(family, isOpenMetrics);
  const samples = [...families.values()].flatMap((family) => family.samples);
  return { families, samples, value: (name, labels = {}) => valueOf(samples, name, labels) };
};

const parseSample = (line: string): ParsedSample => {
  const name = /^[a-zA-Z_:][\w:]*/.exec(line)?.[0] ?? "";
  const labels: Record<string, string> = {};
  let rest = line.slice(name.length);
  if (rest.startsWith("{")) {
    rest = rest.slice(1);
    for (;;) {
      const pair = /^([a-zA-Z_]\w*)="((?:[^"\\\n]|\\[\\"n])*)"([,}])/.exec(rest);
      if (pair === null) throw new Error(`bad labels: ${line}`);
      const [whole, label = "", value = "", end] = pair;
      if (Object.hasOwn(labels, label)) throw new Error(`duplicate label: ${line}`);
      labels[label] = value.replaceAll(/\\([\\"n])/g, (_, character: string) =>
        character === "n" ? "\n" : character,
      );
      rest = rest.slice(whole.length);
      if (end === "}") break;
    }
  }
  const number = /^ (\+Inf|-Inf|NaN|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)$/.exec(rest)?.[1];
  if (name === "" || number === undefined) throw new Error(`bad line: ${line}`);
  return { name, labels, value: Number(number.replace("Inf", "Infinity")) };
};

const checkHistogram = ({ name, samples }: ParsedFamily, isOpenMetrics: boolean): void => {
  const series = new Map<string, { buckets: [string, number][]; sum: number | null; count: number | null }>();
  for (const { name: line, labels, value } of samples) {
    const { le = "", ...rest } = labels;
    const key = JSON.stringify(rest);
    const one = series.get(key) ?? { buckets: [], sum: null, count: null };
    series.set(key, one);
    if (line === `${name}_bucket`) one.buckets.push([le, value]);
    else if (line === `${name}_sum`) one.sum = value;
    else one.count = value;
  }
  for (const [key, { buckets, sum, count }] of series) {
    const bounds = buckets.map(([le]) => (le === "+Inf" ? Infinity : Number(le)));
    const ascend = (list: readonly number[], strictly: boolean): boolean =>
      list.every(
        (value, index) =>
          index === 0 || value > (list[index - 1] ?? 0) || (!strictly && value === list[index - 1]),
      );
    if (!ascend(bounds, true) || bounds.at(-1) !== Infinity)
      throw new Error(`${name} ${key} has unordered bounds`);
    if (
      !ascend(
        buckets.map(([, value]) => value),
        false,
      )
    )
      throw new Error(`${name} ${key} is not cumulative`);
    if (sum === null || count === null || count !== buckets.at(-1)?.[1])
      throw new Error(`${name} ${key} has a wrong count`);
    if (isOpenMetrics && buckets.some(([le]) => /^\d+$/.test(le)))
      throw new Error(`le of ${name} is not a float`);
  }
};

const valueOf = (
  samples: readonly ParsedSample[],
  name: string,
  labels: Readonly<Record<string, string>>,
): number => {
  const matching = samples.filter(
    (sample) =>
      sample.name === name && Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
  );
  if (matching.length > 1)
    throw new Error(`${name} with ${JSON.stringify(labels)} is ${matching.length} lines`);
  return matching[0]?.value ?? 0;
};
