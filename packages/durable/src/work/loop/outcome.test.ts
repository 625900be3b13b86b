import { expect, test } from "@jest/globals";
import type { ClaimedRow } from "../table/claiming.ts";
import { Attempt } from "./attempt.ts";
import { type Outcome, takeBatch } from "./outcome.ts";

const MIB = 1_048_576;

const outcomes = (count: number, write: Outcome["write"]): Outcome[] =>
  Array.from({ length: count }, (_, id) => ({
    queue: "mail",
    attempt: new Attempt({ id } as ClaimedRow),
    write,
    onWritten() {},
  }));

const sizes = (waiting: Outcome[]): readonly number[] => {
  const taken = [];
  while (waiting.length > 0) taken.push(takeBatch(waiting).length);
  return taken;
};

test("one statement writes at most 1,000 outcomes", () => {
  expect(sizes(outcomes(2500, "remove"))).toEqual([1000, 1000, 500]);
});

test("one statement writes results of at most 16 MiB in total, or one larger result", () => {
  expect(sizes(outcomes(40, { state: "done", result: "x".repeat(MIB) }))).toEqual([16, 16, 8]);
  expect(sizes(outcomes(2, { state: "done", result: "x".repeat(17 * MIB) }))).toEqual([1, 1]);
});
