import { expect, test } from "@jest/globals";
import { toRow } from "./new-work.ts";

test.each([
  ["one of the two starts", { delayMs: 5 }, { delayMs: 5, runAt: null }],
  ["an option that is undefined", { delayMs: undefined, runAt: 7 }, { delayMs: 0, runAt: 7 }],
])("takes %s", (_name, start, row) => {
  expect(toRow("mail", { payload: 1, ...start })).toMatchObject(row);
});

test("rejects a delay combined with a date, because only one would have an effect", () => {
  expect(() => toRow("mail", { payload: 1, delayMs: 60_000, runAt: new Date() })).toThrow(
    expect.objectContaining({
      code: "DURABLE_BAD_WORK",
      message: expect.stringContaining("delayMs and runAt cannot be combined") as unknown,
    }),
  );
});
