import type { AuthDescription } from "./auth-description.ts";

type Schemes = AuthDescription["schemes"];

/** Merges security schemes that are alternatives: equal ones of a name appear once, and different ones get a number, such as `apiKeyAuth2`. */
export const mergeSchemes = (alternatives: readonly Schemes[]): Schemes => {
  const merged = new Map<string, Schemes[string]>();
  for (const [name, scheme] of alternatives.flatMap((schemes) => Object.entries(schemes))) {
    const text = JSON.stringify(scheme);
    const isTaken = (found: Schemes[string] | undefined): boolean =>
      found !== undefined && JSON.stringify(found) !== text;
    let free = name;
    for (let number = 2; isTaken(merged.get(free)); number++) free = `${name}${number}`;
    merged.set(free, scheme);
  }
  return Object.fromEntries(merged);
};
