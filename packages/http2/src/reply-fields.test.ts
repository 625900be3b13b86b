import { expect, test } from "@jest/globals";
import { ReplyFields } from "./reply-fields.ts";

const DATE = "Sun, 06 Nov 1994 08:49:37 GMT";
const LATER = "Sun, 06 Nov 1994 08:49:38 GMT";
const frozen = Object.freeze(["Content-Type", "text/plain"]);
const other = Object.freeze(["content-type", "text/html"]);

const head = (status: number, length: number, date: string, type: string): string[] =>
  `:status,${status},content-length,${length}`.split(",").concat(["date", date, "content-type", type]);

test("equal replies share a head, and any difference creates a new one", () => {
  const replies = new ReplyFields();
  const first = replies.ordinary(200, frozen, 5, DATE);
  expect(first).toEqual(head(200, 5, DATE, "text/plain"));
  expect(replies.ordinary(200, frozen, 5, DATE)).toBe(first);
  expect(replies.ordinary(200, frozen, 6, DATE)).toEqual(head(200, 6, DATE, "text/plain"));
  expect(replies.ordinary(201, frozen, 6, DATE)).toEqual(head(201, 6, DATE, "text/plain"));
  expect(replies.ordinary(201, frozen, 6, LATER)).toEqual(head(201, 6, LATER, "text/plain"));
  expect(replies.ordinary(201, other, 6, LATER)).toEqual(head(201, 6, LATER, "text/html"));
  expect(replies.ordinary(201, frozen, 6, LATER)).toEqual(head(201, 6, LATER, "text/plain"));
});

test("a list that is not frozen is read each time", () => {
  const replies = new ReplyFields();
  const fields = ["x-name", "1"];
  expect(replies.ordinary(200, fields, 0, DATE)).toContain("1");
  fields[1] = "2";
  expect(replies.ordinary(200, fields, 0, DATE)).toContain("2");
});
