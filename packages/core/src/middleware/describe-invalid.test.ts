import { expect, test } from "@jest/globals";
import { describeInvalid } from "../feature.ts";

test("describes a return value without the content of objects and strings", () => {
  const values = [Promise.resolve(1), { a: 1 }, "", "secret", Number.NaN, undefined, null, 5n];
  expect(values.map((value) => describeInvalid(value))).toEqual([
    "a promise; return the value itself",
    "a value of type object",
    "an empty string",
    "a value of type string",
    "NaN",
    "undefined",
    "null",
    "a value of type bigint",
  ]);
});

test("the rejection of a returned promise is not an unhandled rejection", async () => {
  const unhandled: unknown[] = [];
  const record = (reason: unknown): void => void unhandled.push(reason);
  process.on("unhandledRejection", record);
  try {
    describeInvalid(Promise.reject(new Error("away")));
    await new Promise((resolve) => setImmediate(resolve)); // Node reports unhandled rejections at the end of a turn
    expect(unhandled).toEqual([]);
  } finally {
    process.off("unhandledRejection", record);
  }
});
