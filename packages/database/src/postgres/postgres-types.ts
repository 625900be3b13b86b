import { type Pg, pg } from "./pg.ts";

const INT8 = 20;
const INT8_ARRAY = 1016;
const DATE = 1082;
const DATE_ARRAY = 1182;
const TIMESTAMP = 1114;
const TIMESTAMP_ARRAY = 1115;
const NUMERIC_ARRAY = 1231;
const TEXT_ARRAY = 1009;

type Parse = (text: string) => unknown;

const asInteger: Parse = (text) => {
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : BigInt(text);
};
const asText: Parse = (text) => text;
const asTexts: Parse = (text) => (pg().types.getTypeParser as (oid: number) => Parse)(TEXT_ARRAY)(text);

/** Converts the members of an array, which may be nested. */
const integersOf = (member: unknown): unknown => {
  if (Array.isArray(member)) return member.map(integersOf);
  return typeof member === "string" ? asInteger(member) : member;
};

/** Parsers that replace those of `pg`. Dates and times without a zone stay strings: as a `Date` they would shift with the machine's time zone. */
const ownParsers = new Map<number, Parse>([
  [INT8, asInteger],
  [INT8_ARRAY, (text) => integersOf(asTexts(text))],
  [DATE, asText],
  [DATE_ARRAY, asTexts],
  [TIMESTAMP, asText],
  [TIMESTAMP_ARRAY, asTexts],
  [NUMERIC_ARRAY, asTexts],
]);

/** Returns the parsers by type OID: exact integers, and no conversions between time zones. */
export const columnTypes = (): Pg["types"] => {
  const { types } = pg();
  return {
    ...types,
    getTypeParser: ((oid: number, format?: "text" | "binary") =>
      ownParsers.get(oid) ?? types.getTypeParser(oid, format as "text")) as Pg["types"]["getTypeParser"],
  };
};
