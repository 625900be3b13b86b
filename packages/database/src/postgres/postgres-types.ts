import { type Pg, pg } from "./pg.ts";

const INT8 = 20;
const DATE = 1082;
const TIMESTAMP = 1114;

type Parse = (text: string) => unknown;

const asInteger: Parse = (text) => {
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : BigInt(text);
};
const asText: Parse = (text) => text;

/** A date or time without a zone stays text: as a `Date` it would shift with the machine's zone. */
const own = new Map<number, Parse>([
  [INT8, asInteger],
  [DATE, asText],
  [TIMESTAMP, asText],
]);

/** Returns the parsers by the type's object identifier: exact integers, no shifts between zones. */
export const columnTypes = (): Pg["types"] => {
  const { types } = pg();
  return {
    ...types,
    getTypeParser: ((oid: number, format?: "text" | "binary") =>
      own.get(oid) ?? types.getTypeParser(oid, format as "text")) as Pg["types"]["getTypeParser"],
  };
};
