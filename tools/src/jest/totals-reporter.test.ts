import { expect, test } from "@jest/globals";
import { runJest } from "./run-jest.test-kit.ts";

test("the results have the counts, and each failed test with its message", () => {
  const { results, status } = runJest(`
    test("adds", () => expect(1 + 1).toBe(3));
    test("stays", () => {});
    test.skip("waits", () => {});`);
  expect(status).toBe(1);
  expect(results).toMatchObject({ passed: 1, failed: 1, skipped: 1 });
  expect(results).toMatchObject({ failures: [{ file: "src/one.test.ts", test: "adds" }] });
  expect(JSON.stringify(results)).toContain("Expected");
});

test("a suite that cannot start counts as a failure, with the reason", () => {
  const { results, status } = runJest('throw new Error("no server");');
  expect(status).toBe(1);
  expect(results).toMatchObject({ passed: 0, failed: 1, failures: [{ file: "src/one.test.ts" }] });
  expect(JSON.stringify(results)).toContain("no server");
});
