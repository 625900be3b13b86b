import { mistake } from "../errors/event-error.ts";

/**
 * Version that a stream must have for an append: `"any"`, `"none"` (it does not exist; the same as 0), `"exists"`, or the number of its last event.
 */
export type ExpectedVersion = "any" | "none" | "exists" | number;

/** @throws EVENTS_BAD_APPEND */
export const checkExpected = (expected: ExpectedVersion): void => {
  if (expected === "any" || expected === "none" || expected === "exists") return;
  if (typeof expected === "number" && Number.isSafeInteger(expected) && expected >= 0) return;
  throw mistake(
    "EVENTS_BAD_APPEND",
    `\`expected\` is "any", "none", "exists" or a version from 0, not ${String(expected)}`,
  );
};

/** Whether a stream of a version, 0 for none, is what an append expects. */
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
