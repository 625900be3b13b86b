import { expect, test } from "@jest/globals";
import { jsonValue } from "./json-value.ts";

test("a value whose toJSON throws an error with an unprintable message is refused", () => {
  const toJSON = (): never => {
    throw Object.assign(new Error("no"), { message: Object.create(null) as object });
  };
  expect(() => jsonValue({ toJSON }, "the output")).toThrow("the output is not JSON data: {}");
});
