import { HttpError } from "@framework/core";

/** Characters of a position. Fixed, so that positions compare as strings: `later > earlier`. */
const LENGTH = 11;
const FORM = /^[0-9a-z]{11}$/;

/** Formats a number of the global order for programs: an opaque string of fixed length that sorts in the order of events. */
export const toPosition = (number: number): string => number.toString(36).padStart(LENGTH, "0");

/** Parses a position. @throws EVENTS_BAD_POSITION 400, because clients pass positions */
export const fromPosition = (position: string): number => {
  const number =
    typeof position === "string" && FORM.test(position) ? Number.parseInt(position, 36) : Number.NaN;
  if (Number.isSafeInteger(number)) return number;
  throw new HttpError(400, "The position is malformed", { code: "EVENTS_BAD_POSITION" });
};
