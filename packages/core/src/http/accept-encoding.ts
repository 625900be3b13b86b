import { trimBlanks } from "./field-grammar.ts";

/** Maximum number of elements of one field; the rest of a longer list is ignored. */
const MAX_ELEMENTS = 50;
const WEIGHTED = /^([!#$%&'*+.^_`|~\w-]+)[ \t]*(?:;[ \t]*[qQ]=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?))?$/;

/**
 * Selects the content coding for an `Accept-Encoding` field (RFC 9110 12.5.3).
 *
 * The highest weight wins, and among equal weights the first of `offered`. `identity` is selected when the client weighs it higher, when no
 * offered coding is acceptable, and for a request without the field. `x-gzip` means `gzip`; malformed elements are ignored.
 *
 * @param offered codings in the server's order of preference
 * @returns `null` when neither an offered coding nor `identity` is acceptable
 */
export const negotiateEncoding = (field: string | null, offered: readonly string[]): string | null => {
  if (field === null) return "identity";
  const weights = weightsOf(field);
  const rest = weights.get("*");
  const identity = weights.get("identity") ?? (rest === 0 ? 0 : null);
  let best: string | null = identity === 0 ? null : "identity";
  let highest = identity ?? 0; // without an explicit weight, identity is the fallback
  for (const coding of offered) {
    const weight = weights.get(coding) ?? rest ?? 0;
    const beats = best === "identity" ? weight >= highest && weight > 0 : weight > highest;
    if (!beats) continue;
    best = coding;
    highest = weight;
  }
  return best;
};

const weightsOf = (field: string): ReadonlyMap<string, number> => {
  const weights = new Map<string, number>();
  for (const element of field.split(",", MAX_ELEMENTS)) {
    const found = WEIGHTED.exec(trimBlanks(element));
    if (found === null) continue;
    const [, name = "", weight = "1"] = found;
    const coding = name.toLowerCase().replace(/^x-(?=gzip$|compress$)/, "");
    if (!weights.has(coding)) weights.set(coding, Number(weight));
  }
  return weights;
};
