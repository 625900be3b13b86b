import { trimBlanks } from "./field-grammar.ts";

/** Elements of one field that count; a longer list cannot change what is preferred by much. */
const maxElements = 50;
const weighted = /^([!#$%&'*+.^_`|~\w-]+)[ \t]*(?:;[ \t]*[qQ]=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?))?$/;

/**
 * The content coding that an `Accept-Encoding` field asks for (RFC 9110 12.5.3), out of those that are offered, best first.
 *
 * The highest weight wins, and among equals the first offered; `identity` where the client names it higher, where nothing offered fits, and for a request
 * without the field. `x-gzip` means `gzip`; elements outside the grammar are passed over.
 *
 * @returns `null` when the client takes nothing offered, and not `identity` either
 */
export const negotiateEncoding = (field: string | null, offered: readonly string[]): string | null => {
  if (field === null) return "identity";
  const weights = weightsOf(field);
  const rest = weights.get("*");
  const identity = weights.get("identity") ?? (rest === 0 ? 0 : null);
  let best: string | null = identity === 0 ? null : "identity";
  let highest = identity ?? 0; // unnamed, it is what is left when nothing else fits
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
  for (const element of field.split(",", maxElements)) {
    const found = weighted.exec(trimBlanks(element));
    if (found === null) continue;
    const [, name = "", weight = "1"] = found;
    const coding = name.toLowerCase().replace(/^x-(?=gzip$|compress$)/, "");
    if (!weights.has(coding)) weights.set(coding, Number(weight));
  }
  return weights;
};
