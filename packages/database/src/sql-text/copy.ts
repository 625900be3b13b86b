import { type Piece, upper } from "./split.ts";

/**
 * Returns `FROM STDIN` or `TO STDOUT` of a `COPY` with rows from or to the client; `null` for every other statement. Such rows are not supported: the
 * connection would wait for missing rows or discard received ones.
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

/** PostgreSQL accepts either word in both directions. */
const clientWords: ReadonlySet<string> = new Set(["FROM STDIN", "FROM STDOUT", "TO STDOUT", "TO STDIN"]);
