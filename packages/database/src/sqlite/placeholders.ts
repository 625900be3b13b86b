import { tokensOf } from "../sql-text/tokens.ts";

/** Rewrites `$1` as `?1`: SQLite treats `$1` as a name and numbers names by first occurrence. Quoted text and comments are kept. */
export const numberedPlaceholders = (text: string): string => {
  if (!text.includes("$")) return text;
  let result = "";
  let from = 0;
  for (const { kind, at } of tokensOf(text, "sqlite")) {
    if (kind !== "parameter") continue;
    result += `${text.slice(from, at)}?`;
    from = at + 1;
  }
  return result + text.slice(from);
};
