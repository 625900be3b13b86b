import { Readable } from "node:stream";
import { runInNewContext } from "node:vm";
import { expect, test } from "@jest/globals";
import { replyOf } from "./reply-of.ts";
import { Response } from "./response.ts";

class Money {
  readonly amount = 5;
  private readonly currency = "EUR";
  toJSON() {
    return `${this.amount} ${this.currency}`;
  }
}

class Book {
  readonly title = "Dune";
}

const json = "application/json";
const binary = "application/octet-stream";
const text = "text/plain; charset=utf-8";
const iterable = { [Symbol.asyncIterator]: () => ReadableStream.from(["a", "b"]).values() };

test.each<[string, unknown, number, string | null, string]>([
  ["an object", { a: 1 }, 200, json, '{"a":1}'],
  ["an object without prototype", Object.assign(Object.create(null), { a: 1 }), 200, json, '{"a":1}'],
  ["an object created from another", Object.assign(Object.create({ b: 2 }), { a: 1 }), 200, json, '{"a":1}'],
  ["a member named constructor", { constructor: "a" }, 200, json, '{"constructor":"a"}'],
  ["an object from another realm", runInNewContext("({ a: [1] })"), 200, json, '{"a":[1]}'],
  ["an instance", new Book(), 200, json, '{"title":"Dune"}'],
  ["toJSON", new Money(), 200, json, '"5 EUR"'],
  ["a date", new Date(0), 200, json, '"1970-01-01T00:00:00.000Z"'],
  ["an array", [1, "a", null], 200, json, '[1,"a",null]'],
  ["a number", 0, 200, json, "0"],
  ["true", true, 200, json, "true"],
  ["false", false, 200, json, "false"],
  ["a string", "<b>é", 200, text, "<b>é"],
  ["an empty string", "", 200, text, ""],
  ["null", null, 204, null, ""],
  ["undefined", undefined, 204, null, ""],
  ["a web stream", ReadableStream.from(["a", "b"]), 200, binary, "ab"],
  ["a Node stream", Readable.from(["a", "b"]), 200, binary, "ab"],
  ["an async iterator", ReadableStream.from(["a", "b"]).values(), 200, binary, "ab"],
  ["an async iterable literal", iterable, 200, binary, "ab"],
  ["bytes", Uint8Array.of(97, 98), 200, binary, "ab"],
  ["a Buffer", Buffer.from("ab"), 200, binary, "ab"],
  ["an ArrayBuffer", Uint8Array.of(97, 98).buffer, 200, binary, "ab"],
  ["a blob", new Blob(["ab"], { type: "text/css" }), 200, "text/css", "ab"],
  ["a file without type", new File(["ab"], "x"), 200, binary, "ab"],
  [
    "a web response",
    new globalThis.Response("ab", { status: 201, headers: { "content-type": "a/b" } }),
    201,
    "a/b",
    "ab",
  ],
])("converts %s to a reply", async (_what, value, status, type, body) => {
  const reply = replyOf(value);
  expect(reply).toBeInstanceOf(Response);
  expect([reply.status, reply.contentType, await reply.text()]).toEqual([status, type, body]);
});

test("a reply of the program is copied, so changes for one request do not reach the next", () => {
  const reply = new Response("x", { status: 201, headers: { "x-kind": "own" } });
  const first = replyOf(reply);
  expect(replyOf(first)).toBe(first);
  first.setHeader("x-kind", "changed").status = 404;
  const second = replyOf(reply);
  expect([second.status, second.headers.get("x-kind"), second.payload]).toEqual([201, "own", "x"]);
});

test("a response of another class is recognised by its shape", async () => {
  class OtherResponse {
    readonly status = 202;
    readonly bodyUsed = false;
    readonly url = "";
    readonly headers = new Headers({ "x-a": "1" });
    readonly body = ReadableStream.from(["ab"]);
    arrayBuffer() {}
    clone() {}
  }
  const reply = replyOf(new OtherResponse());
  expect([reply.status, reply.headers.get("x-a"), await reply.text()]).toEqual([202, "1", "ab"]);
});

test.each([
  ["a symbol", Symbol("x")],
  ["a function", () => "x"],
  ["a class", Book],
  ["a bigint", 5n],
  ["a bigint inside", { id: 5n }],
  ["our network error", Response.error()],
  ["the web's network error", globalThis.Response.error()],
])("rejects %s", (_what, value) => {
  expect(() => replyOf(value)).toThrow(expect.objectContaining({ code: "CORE_BAD_REPLY" }));
});

test("rejects a body that was read", async () => {
  const web = new globalThis.Response("x");
  await web.text();
  expect(() => replyOf(web)).toThrow(expect.objectContaining({ code: "CORE_BODY_USED" }));
});

test("an object with member names of a reply is data", async () => {
  expect(await replyOf({ status: 404, headers: {}, body: null }).json()).toEqual({
    status: 404,
    headers: {},
    body: null,
  });
  expect(await replyOf(JSON.parse('{"__proto__":{"a":1}}')).text()).toBe('{"__proto__":{"a":1}}');
});
