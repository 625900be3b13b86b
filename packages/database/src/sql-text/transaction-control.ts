import { type Piece, upper } from "./split.ts";

/** First words of statements that begin or end a transaction or savepoint, with the required second words, if any. */
const starts: Readonly<Record<string, readonly string[]>> = {
  BEGIN: [],
  START: ["TRANSACTION"],
  COMMIT: [],
  END: [],
  ROLLBACK: [],
  ABORT: [],
  SAVEPOINT: [],
  RELEASE: [],
  PREPARE: ["TRANSACTION"],
};

/** Returns the keywords of a statement that controls transactions, such as `COMMIT`; `null` for every other statement. */
export const transactionControl = ({ tokens }: Piece): string | null => {
  const [first, second] = [upper(tokens[0]), upper(tokens[1])];
  const next = Object.hasOwn(starts, first) ? starts[first] : undefined;
  if (next === undefined) return null;
  if (next.length === 0) return first;
  return next.includes(second) ? `${first} ${second}` : null;
};
