import { isToken } from "./token.ts";
import { parseParameter, splitOutsideQuotes, trimBlanks } from "./field-grammar.ts";

interface MediaRange {
  /** Lower case: `text/html`, `text/*` or `*` + `/*`. */
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
  /** From 0 (not acceptable) to 1. */
  readonly weight: number;
}

/**
 * Whether an `Accept` field accepts a media type (RFC 9110 12.5.1): the most specific matching range has a weight above 0.
 *
 * An absent or empty field accepts every type; malformed elements are ignored. Parameters of a range must equal those of `type`.
 */
export const accepts = (header: string | null, type: string): boolean => weightOf(rangesOf(header), type) > 0;

/** Returns the offered type with the highest weight, the first of equals; `null` when none is acceptable. */
export const preferredType = (header: string | null, types: readonly string[]): string | null => {
  const ranges = rangesOf(header);
  let best: string | null = null;
  let highest = 0;
  for (const type of types) {
    const weight = weightOf(ranges, type);
    if (weight <= highest) continue;
    best = type;
    highest = weight;
  }
  return best;
};

/** Whether an `Accept` field names a type itself, without a wildcard, with a weight above 0. `type` is in lower case. */
export const namesType = (header: string | null, type: string): boolean =>
  header !== null &&
  header.toLowerCase().includes(type) &&
  rangesOf(header).some((range) => range.type === type && range.weight > 0);

const anything: readonly MediaRange[] = [{ type: "*/*", parameters: new Map(), weight: 1 }];

const rangesOf = (header: string | null): readonly MediaRange[] => {
  if (header === null || header === "*/*" || trimBlanks(header) === "") return anything;
  return splitOutsideQuotes(header, ",").flatMap((element) => parseRange(element) ?? []);
};

const parseRange = (element: string): MediaRange | null => {
  const [head = "", ...rest] = splitOutsideQuotes(element, ";");
  const type = trimBlanks(head).toLowerCase();
  if (!isRange(type)) return null;
  const parameters = new Map<string, string>();
  for (const text of rest) {
    const trimmed = trimBlanks(text);
    if (trimmed === "") continue;
    const parameter = parseParameter(trimmed);
    if (parameter === null) return null;
    const [name, value] = parameter;
    if (name === "q") return isWeight(value) ? { type, parameters, weight: Number(value) } : null;
    parameters.set(name, value);
  }
  return { type, parameters, weight: 1 };
};

const isRange = (type: string): boolean => {
  const slash = type.indexOf("/");
  return isToken(type.slice(0, Math.max(slash, 0))) && isToken(type.slice(slash + 1)); // `*` is also a token
};

const isWeight = (text: string): boolean => /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(text);

/** Returns the weight of the most specific matching range: more parameters rank before fewer, a type before `type/*` before `*` + `/*`. */
const weightOf = (ranges: readonly MediaRange[], type: string): number => {
  const wanted = parseRange(type);
  if (wanted === null) return 0;
  let weight = 0;
  let closest = -1;
  for (const range of ranges) {
    const closeness = closenessOf(range, wanted);
    if (closeness < closest || closeness < 0) continue;
    weight = closeness === closest ? Math.max(weight, range.weight) : range.weight;
    closest = closeness;
  }
  return weight;
};

const closenessOf = ({ type, parameters }: MediaRange, wanted: MediaRange): number => {
  if (type === "*/*") return 0;
  if (type.endsWith("/*")) return wanted.type.startsWith(type.slice(0, -1)) ? 1 : -1;
  if (type !== wanted.type) return -1;
  for (const [name, value] of parameters) {
    if (wanted.parameters.get(name)?.toLowerCase() !== value.toLowerCase()) return -1;
  }
  return 2 + parameters.size;
};
