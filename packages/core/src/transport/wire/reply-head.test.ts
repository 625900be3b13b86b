import { expect, test } from "@jest/globals";
import { BodyStream } from "../../exchange/payload.ts";
import { prepareReply, type ReplyContext } from "./reply-head.ts";
import type { Reply } from "../../exchange/reply.ts";

const reply = (payload: Reply["payload"], status = 200, fields: readonly string[] = []): Reply => ({
  status,
  payload,
  fields: () => fields,
});
const prepare = (given: Reply, context: Partial<ReplyContext> = {}) =>
  prepareReply(given, { method: "GET", minor: 1, close: false, date: "now", ...context });
const stream = (length: number | null): BodyStream => new BodyStream((async function* () {})(), length);

test("counts a body in bytes, not in characters", () => {
  expect(prepare(reply("ü☃"))).toEqual({
    status: 200,
    fields: ["content-length", "5", "date", "now"],
    payload: "ü☃",
    length: 5,
    framing: "length",
    close: false,
  });
});

test.each([
  ["known, 1.1", 7, 1, "length", ["content-length", "7", "date", "now"]],
  ["unknown, 1.1", null, 1, "chunked", ["transfer-encoding", "chunked", "date", "now"]],
  ["known, 1.0", 7, 0, "length", ["content-length", "7", "date", "now"]],
  ["unknown, 1.0", null, 0, "close", ["date", "now", "connection", "close"]],
] as const)("frames a stream: length %s", (_, length, minor, framing, fields) => {
  expect(prepare(reply(stream(length)), { minor })).toMatchObject({ framing, fields, length });
});

test("keeps the fields of GET for HEAD and omits the body", () => {
  for (const payload of ["hello", stream(null)]) {
    const [get, head] = [prepare(reply(payload)), prepare(reply(payload), { method: "HEAD" })];
    expect(head).toEqual({ ...get, payload: null, length: 0, framing: "none" });
  }
});

test.each([
  ["1234", "1234"],
  ["12345678901234567890", "0"],
  ["-1", "0"],
  ["5, 5", "0"],
  ["0x10", "0"],
  ["", "0"],
])("the content-length %j of a HEAD reply without a body is sent as %s", (stated, sent) => {
  const given = reply(null, 200, ["Content-Length", stated]);
  expect(prepare(given, { method: "HEAD" }).fields).toEqual(["content-length", sent, "date", "now"]);
});

test.each([
  ["to GET", "GET", null, "0"],
  ["with a body", "HEAD", "hello", "5"],
])("replaces the content-length of a reply %s", (_, method, payload, sent) => {
  const given = reply(payload, 200, ["content-length", "1234"]);
  expect(prepare(given, { method }).fields).toEqual(["content-length", sent, "date", "now"]);
});

test.each([
  [204, ["date", "now"]],
  [205, ["content-length", "0", "date", "now"]],
  [304, ["date", "now"]],
])("sends no body with status %s", (status, fields) => {
  expect(prepare(reply("gone", status))).toMatchObject({ payload: null, framing: "none", fields });
  const stated = reply(null, status, ["content-length", "1234"]);
  expect(prepare(stated, { method: "HEAD" })).toMatchObject({ payload: null, framing: "none", fields });
});

test("closes when the context requires it, or when the reply lists close among other tokens", () => {
  const closing = ["content-type", "a", "connection", "x, Close"];
  expect(prepare(reply(null), { close: true })).toMatchObject({ close: true });
  expect(prepare(reply(null, 200, closing))).toMatchObject({
    close: true,
    fields: ["content-type", "a", "content-length", "0", "date", "now", "connection", "close"],
  });
  expect(prepare(reply(null, 200, ["connection", "disclose"]))).toMatchObject({ close: false });
});

test("does not change the list of a reply", () => {
  const fields = Object.freeze(["x", "y"]);
  expect(prepare(reply("z", 200, fields)).fields).not.toBe(fields);
});

test.each([0, 101, 199, 600, Number.NaN, 200.5])("rejects status %s", (status) => {
  expect(() => prepare(reply(null, status))).toThrow(expect.objectContaining({ code: "CORE_BAD_REPLY" }));
});
