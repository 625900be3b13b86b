import { expect, test } from "@jest/globals";
import { runJest } from "./run-jest.test-kit.ts";

test("a run that leaves a timer active ends and fails, even if every test passed", () => {
  const { status, stderr } = runJest('test("one", () => { setInterval(() => {}, 1_000); });');
  expect(stderr).toContain("The tests left open: ");
  expect(stderr).toContain("Timeout");
  expect(status).toBe(1);
});

test("a run that leaves nothing open passes", () => {
  expect(runJest('test("one", () => expect(1).toBe(1));').status).toBe(0);
});
