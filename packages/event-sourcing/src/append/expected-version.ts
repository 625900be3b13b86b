import { eventError, shownValue } from "../errors/event-error.ts";

/**
 * Version that a stream must have for an append: `"any"`, `"none"` (it does not exist; the same as 0), `"exists"`, or the number of its last event.
 */
export type ExpectedVersion = "any" | "none" | "exists" | number;

/** @throws EVENTS_BAD_APPEND */
export const checkExpected = (expected: ExpectedVersion): void => {
  if (expected === "any" || expected === "none" || expected === "exists") return;
  if (typeof expected === "number" && Number.isSafeInteger(expected) && expected >= 0) return;
  throw eventError(
    "EVENTS_BAD_APPEND",
    `\`expected\` must be "any", "none", "exists" or a version from 0, not ${shownValue(expected)}`,
  );
};

/** Whether the actual version of a stream, 0 if it does not exist, meets the expectation of an append. */
export const isExpected = (expected: ExpectedVersion, actual: number): boolean => {
  switch (expected) {
    case "any":
      return true;
    case "none":
      return actual === 0;
    case "exists":
      return actual > 0;
    default:
      return actual === expected;
  }
};
