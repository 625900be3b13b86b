import { expect, test } from "@jest/globals";
import { difference } from "./verify.ts";

const expected = { type: "application/json", body: '{"id":1}', fields: ["etag"] };
const headers = { "content-type": "application/json; charset=utf-8", etag: '"1"' };
const reply = { status: 200, headers, body: '{"id":1}' };

test("a reply with the expected status, media type, body and fields is accepted", () => {
  expect(difference(reply, expected)).toBeNull();
});

test.each([
  [{ ...reply, status: 201 }, "status 201"],
  [{ ...reply, headers: { ...headers, "content-type": "text/plain" } }, "media type text/plain"],
  [{ ...reply, body: '{"id":"1"}' }, 'a different body: {"id":"1"}'],
  [{ ...reply, headers: { "content-type": "application/json" } }, "no etag"],
])("returns the difference between wrong reply %# and the expected one", (wrong, message) => {
  expect(difference(wrong, expected)).toBe(message);
});
