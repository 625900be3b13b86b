import { expect, test } from "@jest/globals";
import { versionInfo } from "graphql";

test("the suites of this run load graphql 16", () => {
  expect(versionInfo.major).toBe(16);
});
