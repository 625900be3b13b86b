import { expect, test } from "@jest/globals";
import { toRow } from "./new-work.ts";

test.each([
  ["delayMs alone", { delayMs: 5 }, { delayMs: 5, runAt: null }],
  ["runAt with an undefined delayMs", { delayMs: undefined, runAt: 7 }, { delayMs: 0, runAt: 7 }],
])("toRow accepts %s", (_name, start, row) => {
  expect(toRow("mail", { payload: 1, ...start })).toMatchObject(row);
});

test("toRow rejects delayMs combined with runAt, because only one could have an effect", () => {
  expect(() => toRow("mail", { payload: 1, delayMs: 60_000, runAt: new Date() })).toThrow(
    expect.objectContaining({
      code: "DURABLE_BAD_WORK",
      message: expect.stringContaining("delayMs and runAt cannot be combined") as unknown,
    }),
  );
});
