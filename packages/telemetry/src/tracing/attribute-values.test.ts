import { expect, test } from "@jest/globals";
import { truncateValue } from "./attribute-values.ts";

test("strings and bytes are truncated, also in lists and maps", () => {
  const long = "x".repeat(2000);
  const bytes = new Uint8Array(2000).fill(7);
  expect(truncateValue({ texts: [long, 7, null], bytes, whole: bytes.subarray(0, 1024) })).toEqual({
    texts: [long.slice(0, 1024), 7, null],
    bytes: bytes.subarray(0, 1024),
    whole: bytes.subarray(0, 1024),
  });
});

test("a list or map has at most 128 members, 1,024 with those of its members, and 8 levels", () => {
  const list = Array.from({ length: 130 }, () => ["a", "b", "c", "d", "e", "f", "g"]);
  const truncated = truncateValue(list) as unknown[][];
  expect([truncated.length, truncated.flat().length]).toEqual([128, 1024 - 128]);
  const nested = truncateValue([[[[[[[[["too deep"]]]]]]]]]);
  expect(nested).toEqual([[[[[[[[null]]]]]]]]);
});

test("a value of many references to itself is truncated at once", () => {
  const node: Record<string, unknown> = {};
  for (let at = 0; at < 100; at++) node[`next-${at}`] = node; // 100^8 paths to the last level
  let members = 0;
  JSON.stringify(truncateValue(node), (name: string, value: unknown) => {
    if (name !== "") members++;
    return value;
  });
  expect(members).toBe(1024);
});
