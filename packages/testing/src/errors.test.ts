import { FrameworkError } from "@framework/core";
import { expect, test } from "@jest/globals";
import { testingError } from "./errors.ts";

test("errors are FrameworkErrors, with the cause if there is one", () => {
  const cause = new Error("why");
  expect(FrameworkError.is(testingError("TESTING_TIMEOUT", "late"))).toBe(true);
  expect(testingError("TESTING_TIMEOUT", "late", cause).cause).toBe(cause);
  expect("cause" in testingError("TESTING_TIMEOUT", "late")).toBe(false);
});
