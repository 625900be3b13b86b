import { type Piece, upper } from "./split.ts";

/** First words of statements that begin or end a transaction or savepoint, with the required second words, if any. */
const secondWordsByFirst: Readonly<Record<string, readonly string[]>> = {
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
  const secondWords = Object.hasOwn(secondWordsByFirst, first) ? secondWordsByFirst[first] : undefined;
  if (secondWords === undefined) return null;
  if (secondWords.length === 0) return first;
  return secondWords.includes(second) ? `${first} ${second}` : null;
};
