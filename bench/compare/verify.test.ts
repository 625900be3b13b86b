import { expect, test } from "@jest/globals";
import { difference } from "./verify.ts";

const wanted = { type: "application/json", body: '{"id":1}', fields: ["etag"] };
const head = 'HTTP/1.1 200 OK\r\nContent-Type: application/json; charset=utf-8\r\nETag: "1"';
const reply = { status: 200, head, body: '{"id":1}', closes: false };

test("a reply with the status, media type, body and fields of all others is right", () => {
  expect(difference(reply, wanted)).toBeNull();
});

test.each([
  [{ ...reply, status: 201 }, "status 201"],
  [{ ...reply, head: head.replace("application/json", "text/plain") }, "media type text/plain"],
  [{ ...reply, body: '{"id":"1"}' }, 'another body: {"id":"1"}'],
  [{ ...reply, head: head.replace("ETag", "X-Tag") }, "no etag"],
])("reply %# is told what differs", (wrong, message) => {
  expect(difference(wrong, wanted)).toBe(message);
});
