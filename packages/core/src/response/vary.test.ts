import { expect, test } from "@jest/globals";
import { ResponseHeaders } from "./response-headers.ts";
import { addVary } from "./vary.ts";

const varyAfter = (present: string | null, ...names: string[]): string | null => {
  const headers = new ResponseHeaders(present === null ? undefined : { vary: present });
  addVary(headers, ...names);
  return headers.get("vary");
};

test.each([
  [null, ["Origin"], "Origin"],
  [null, ["Origin", "Accept-Encoding"], "Origin, Accept-Encoding"],
  ["Origin", ["Origin"], "Origin"],
  ["origin", ["Origin"], "origin"],
  ["Accept , Origin", ["Accept-Encoding", "ORIGIN"], "Accept , Origin, Accept-Encoding"],
  ["*", ["Origin"], "*"],
  ["Origin", ["*"], "*"],
  [null, ["*"], "*"],
  [null, ["Authorization", "authorization"], "Authorization"],
  ["Accept", ["Cookie", "Accept", "Cookie"], "Accept, Cookie"],
])("Vary %p with %p added is %p", (present, names, expected) => {
  expect(varyAfter(present, ...names)).toBe(expected);
});

test("joins several Vary lines into one that names each field", () => {
  const headers = new ResponseHeaders([
    ["vary", "Accept"],
    ["vary", "Cookie"],
  ]);
  addVary(headers, "Origin");
  expect(headers.toFields()).toEqual(["vary", "Accept, Cookie, Origin"]);
});
