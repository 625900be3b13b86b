import { tokensOf } from "../sql-text/tokens.ts";

/**
 * Appended to a limit. SQLite recompiles a statement whenever its limit is bound, to plan for the value, which takes 0.1 ms. A collation prevents that,
 * and has no other effect on a number.
 */
const PLANNED_ONCE = " COLLATE BINARY";

/** Rewrites `$1` as `?1`: SQLite treats `$1` as a name and numbers names by first occurrence. Quoted text and comments are unchanged. */
export const numberedPlaceholders = (text: string): string => {
  if (!text.includes("$")) return text;
  let result = "";
  let from = 0;
  let isLimit = false;
  for (const { kind, at, text: token } of tokensOf(text, "sqlite")) {
    if (kind === "parameter") {
      result += `${text.slice(from, at)}?${token.slice(1)}${isLimit ? PLANNED_ONCE : ""}`;
      from = at + token.length;
    }
    isLimit = kind === "word" && token.toLowerCase() === "limit";
  }
  return result + text.slice(from);
};
