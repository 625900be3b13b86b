import { expect, test } from "@jest/globals";
import { retryPauseMs } from "./retry-pause.ts";

test("the pause before a retry doubles from 5 ms up to a second, ±50 %", () => {
  expect([0, 1, 2, 7, 8, 19].map((failures) => retryPauseMs(failures, 0.5))).toEqual([
    5, 10, 20, 640, 1000, 1000,
  ]);
  expect([0, 1].map((random) => retryPauseMs(19, random))).toEqual([500, 1500]);
});
