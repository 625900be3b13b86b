import { type Piece, upper } from "./split.ts";

/**
 * `FROM STDIN` or `TO STDOUT` of a `COPY` whose rows the client sends or gets; `null` for every other statement. Rows that are not sent would spoil the
 * connection, and those that come be lost.
 */
export const copyOfClient = ({ tokens }: Piece): string | null => {
  if (upper(tokens[0]) !== "COPY") return null;
  let depth = 0;
  for (const [at, token] of tokens.entries()) {
    if (token.kind === "open") depth++;
    if (token.kind === "close") depth--;
    if (depth > 0) continue;
    const words = `${upper(token)} ${upper(tokens[at + 1])}`;
    if (clientWords.has(words)) return words;
  }
  return null;
};

/** PostgreSQL takes either word in both directions. */
const clientWords: ReadonlySet<string> = new Set(["FROM STDIN", "FROM STDOUT", "TO STDOUT", "TO STDIN"]);
