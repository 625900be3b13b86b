import { tokensOf } from "../sql-text/tokens.ts";

/** Whether a statement changes the session for the next user of the connection. A false positive only costs a connection. */
export const leavesState = (text: string): boolean => {
  if (!SUSPECT.test(text)) return false;
  const words = wordsOf(text);
  return lasting.some((pattern) => pattern.test(words));
};

/** Quick test that avoids tokenising most texts. A statement starts a text or line, or follows a semicolon or block comment. */
const SUSPECT =
  /(?:^|[;/\n\r])[^\S\n\r]*(?:set|listen|prepare|deallocate|discard|load|declare|do)\b|\b(?:pg_)?temp|set_config|advisory_lock|pg_settings/i;

/** Returns the text with spaces and comments replaced by one space, and quoted text by `""`. */
const wordsOf = (text: string): string => {
  let words = "";
  let end = 0;
  for (const { kind, text: token, at } of tokensOf(text, "postgres")) {
    if (at > end) words += " ";
    if (kind === "quoted") words += LASTING_NAME.test(token) ? token.slice(1, -1) : '""';
    else if (kind !== "unclosed") words += token;
    end = at + token.length;
  }
  return words;
};

/** Names that have the same meaning in quotes. */
const LASTING_NAME = /^"(?:set_config|pg_(?:try_)?advisory_lock(?:_shared)?|pg_settings|pg_temp)"$/;

const lasting: readonly RegExp[] = [
  /(?:^|;)\s*(?:set(?!\s+(?:local|transaction|constraints)\b)|listen|prepare|deallocate|discard|load)\b/i,
  /(?:^|;)\s*declare\b[^;]*\bwith\s+hold\b/i,
  /(?:^|;)\s*create\s+(?:or\s+replace\s+)?(?:(?:global|local)\s+)?temp(?:orary)?\b/i,
  /(?<!\b(?:insert|merge)\s+)\binto\s+(?:(?:global|local)\s+)?temp(?:orary)?\s+[\w"]/i,
  /\bpg_temp\s*\./i,
  /\bpg_(?:try_)?advisory_lock(?:_shared)?\s*\(/i,
  /\bset_config\s*\((?!(?:[^()]|\([^()]*\))*,\s*true\s*\))/i, // its arguments may be any expressions; only with `true` does the setting end with the transaction
  /(?:^|;)\s*do\b/i, // a block may do anything
  /\bupdate\s+(?:only\s+)?(?:[\w"]+\s*\.\s*)?pg_settings\b/i,
];
