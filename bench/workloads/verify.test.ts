import { expect, test } from "@jest/globals";
import { difference } from "./verify.ts";

const wanted = { type: "application/json", body: '{"id":1}', fields: ["etag"] };
const headers = { "content-type": "application/json; charset=utf-8", etag: '"1"' };
const reply = { status: 200, headers, body: '{"id":1}' };

test("a reply with the expected status, media type, body and fields is accepted", () => {
  expect(difference(reply, wanted)).toBeNull();
});

test.each([
  [{ ...reply, status: 201 }, "status 201"],
  [{ ...reply, headers: { ...headers, "content-type": "text/plain" } }, "media type text/plain"],
  [{ ...reply, body: '{"id":"1"}' }, 'a different body: {"id":"1"}'],
  [{ ...reply, headers: { "content-type": "application/json" } }, "no etag"],
])("the error for reply %# has the difference", (wrong, message) => {
  expect(difference(wrong, wanted)).toBe(message);
});
