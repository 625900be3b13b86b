import { inspect } from "node:util";
import { expect, test } from "@jest/globals";
import { BodyStream } from "../exchange/payload.ts";
import { key } from "../invocation/key.ts";
import { Response } from "./response.ts";
import { inheritGlobalResponse } from "./web-class.ts";
import type { ResponseBody } from "./response-body.ts";

const text = "text/plain; charset=utf-8";

test("is an instance of the global class and overrides each of its members", () => {
  inheritGlobalResponse();
  const web = globalThis.Response.prototype;
  expect(new Response()).toBeInstanceOf(globalThis.Response);
  expect(Object.getOwnPropertyNames(web).filter((name) => !Object.hasOwn(Response.prototype, name))).toEqual(
    [],
  );
  expect(Object.prototype.toString.call(new Response())).toBe("[object Response]");
  expect(inspect(Response.json({ a: 1 }))).toContain("status: 200");
});

test("has the static methods of the global class", () => {
  const names = Object.getOwnPropertyNames(globalThis.Response).filter(
    (name) => !["length", "name", "prototype"].includes(name),
  );
  expect(names.filter((name) => !Object.hasOwn(Response, name))).toEqual([]);
});

test.each<[string, () => ResponseBody | null, string | null, string]>([
  ["a string", () => "hé", text, "hé"],
  ["null", () => null, null, ""],
  ["bytes", () => new TextEncoder().encode("hé"), "application/octet-stream", "hé"],
  ["a buffer", () => new TextEncoder().encode("hé").buffer, "application/octet-stream", "hé"],
  [
    "a view of a part",
    () => new DataView(new TextEncoder().encode("xhéx").buffer, 1, 3),
    "application/octet-stream",
    "hé",
  ],
  ["a blob", () => new Blob(["hé"], { type: "text/css" }), "text/css", "hé"],
  ["a blob without type", () => new Blob(["hé"]), "application/octet-stream", "hé"],
  [
    "a query",
    () => new URLSearchParams({ a: "é b" }),
    "application/x-www-form-urlencoded;charset=UTF-8",
    "a=%C3%A9+b",
  ],
  ["a web stream", () => ReadableStream.from(["h", "é"]), null, "hé"],
  ["an async iterable", () => ReadableStream.from(["h", "é"]).values(), null, "hé"],
])("accepts %s as a body", async (_what, body, type, expected) => {
  const response = new Response(body());
  expect([response.status, response.contentType]).toEqual([200, type]);
  expect(await response.text()).toBe(expected);
});

test("accepts a form as a body and reads it back", async () => {
  const form = new FormData();
  form.append("a", "1");
  form.append("file", new File(["hé"], "x.txt"));
  const response = new Response(form);
  expect(response.contentType).toMatch(/^multipart\/form-data; boundary=/);
  const read = await response.formData();
  expect(read.get("a")).toBe("1");
  expect(await (read.get("file") as File).text()).toBe("hé");
});

test.each([5, true, {}, [], () => "x", Symbol("x")])("rejects %p as a body", (body) => {
  expect(() => new Response(body as never)).toThrow(expect.objectContaining({ code: "CORE_BAD_BODY" }));
});

test.each<[string, () => Response, number, string | null, string]>([
  ["json", () => Response.json({ a: 1 }), 200, "application/json", '{"a":1}'],
  ["json with a status", () => Response.json([1], { status: 418 }), 418, "application/json", "[1]"],
  [
    "exact integers",
    () => Response.json(2n ** 64n, { bigint: true }),
    200,
    "application/json",
    "18446744073709551616",
  ],
  ["text", () => Response.text("<b>"), 200, text, "<b>"],
  ["html", () => Response.html("<b>é", { status: 201 }), 201, "text/html; charset=utf-8", "<b>é"],
  ["binary", () => Response.binary(Uint8Array.of(97)), 200, "application/octet-stream", "a"],
  [
    "binary with a type",
    () => Response.binary(Uint8Array.of(97), { contentType: "image/png" }),
    200,
    "image/png",
    "a",
  ],
  ["stream", () => Response.stream(["a", "b"]), 200, "application/octet-stream", "ab"],
  [
    "stream with a type",
    () => Response.stream(["a", "b"], { contentType: "text/csv" }),
    200,
    "text/csv",
    "ab",
  ],
  [
    "xml",
    () => Response.xml({ a: 1 }, { rootName: "r" }),
    200,
    "application/xml; charset=utf-8",
    '<?xml version="1.0" encoding="UTF-8"?>\n<r><a>1</a></r>',
  ],
  ["noContent", () => Response.noContent(), 204, null, ""],
  ["redirect", () => Response.redirect("/a"), 302, null, ""],
  ["permanent redirect", () => Response.redirect("/a", { permanent: true }), 301, null, ""],
  ["redirect with a status", () => Response.redirect("/a", { status: 303, permanent: true }), 303, null, ""],
  ["redirect as on the web", () => Response.redirect("/a", 307), 307, null, ""],
  ["created", () => Response.created({ id: 7 }, "/books/7"), 201, "application/json", '{"id":7}'],
  [
    "problem",
    () => Response.problem({ status: 404, detail: "no", left: 2 }),
    404,
    "application/problem+json",
    '{"type":"about:blank","title":"Not Found","status":404,"detail":"no","left":2}',
  ],
  [
    "an empty problem",
    () => Response.problem({}),
    500,
    "application/problem+json",
    '{"type":"about:blank","title":"Internal Server Error","status":500}',
  ],
])("%s has the expected status, media type and body", async (_name, make, status, type, body) => {
  const response = make();
  expect([response.status, response.contentType, await response.text()]).toEqual([status, type, body]);
});

test("redirect and created set the location", () => {
  expect(Response.redirect("/größe").headers.get("location")).toBe("/gr%C3%B6%C3%9Fe");
  expect(Response.created(1, "/books/7").headers.get("location")).toBe("/books/7");
  expect(Response.created(1).headers.has("location")).toBe(false);
});

test.each([200, 300, 304, 404])("a redirect with status %p throws", (status) => {
  expect(() => Response.redirect("/a", status)).toThrow(expect.objectContaining({ code: "CORE_BAD_STATUS" }));
});

test.each([true, "301", null])("redirect throws for the options %p", (options) => {
  expect(() => Response.redirect("/a", options as never)).toThrow(
    expect.objectContaining({ code: "CORE_BAD_ARGUMENT", message: expect.stringContaining("reply options") }),
  );
});

test("created throws for a status in place of the options", () => {
  expect(() => Response.created(1, "/a", 202 as never)).toThrow(
    expect.objectContaining({ code: "CORE_BAD_ARGUMENT" }),
  );
});

test("redirect and created check the location", () => {
  const badRedirect = expect.objectContaining({ code: "CORE_BAD_REDIRECT" });
  expect(() => Response.redirect("javascript:x")).toThrow(badRedirect);
  expect(() => Response.redirect("//evil.test", { sameOrigin: true })).toThrow(badRedirect);
  expect(() => Response.created(1, "/a\r\nb: c")).toThrow(badRedirect);
});

test("an event stream has fields against caching and buffering; the fields of its options take precedence", async () => {
  const response = Response.sse([{ data: "a" }], {
    headers: { "cache-control": "no-store", "x-a": "1" },
    status: 201,
  });
  expect(Object.fromEntries(response.headers)).toEqual({
    "cache-control": "no-store",
    "content-type": "text/event-stream; charset=utf-8",
    "x-a": "1",
    "x-accel-buffering": "no",
  });
  expect([response.status, await response.text()]).toEqual([201, "data: a\n\n"]);
  expect(Response.sse([]).headers.get("cache-control")).toBe("no-cache");
});

test("sets and deletes cookies, one per line", () => {
  const response = new Response().setCookie("a", "é", { httpOnly: true }).deleteCookie("b");
  expect(response.headers.getSetCookie()).toEqual([
    "a=%C3%A9; Path=/; HttpOnly",
    "b=; Max-Age=0; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT",
  ]);
});

test("sets 64 cookies and rejects one more", () => {
  const response = new Response();
  for (let index = 0; index < 64; index++) response.setCookie(`c${index}`, "1");
  expect(() => response.setCookie("c64", "1")).toThrow(expect.objectContaining({ code: "CORE_BAD_COOKIE" }));
});

test("Response.error() is a network error", () => {
  const { status, type, ok, body, statusText } = Response.error();
  expect([status, type, ok, body, statusText]).toEqual([0, "error", false, null, ""]);
  expect([new Response().type, new Response().url, new Response().redirected]).toEqual([
    "default",
    "",
    false,
  ]);
});

test("works where a web Response is expected", async () => {
  const copy = new globalThis.Response(
    new Response("hé").body,
    new Response(null, { status: 201, headers: { "x-a": "1" } }) as never,
  );
  expect([copy.status, copy.headers.get("x-a"), await copy.text()]).toEqual([201, "1", "hé"]);
});

test("payload is the given bytes, the JSON text or a BodyStream", () => {
  const bytes = Uint8Array.of(1);
  expect(new Response(bytes).payload).toBe(bytes);
  expect(Response.json({ a: 1 }).payload).toBe('{"a":1}');
  expect(Response.stream(["a"]).payload).toBeInstanceOf(BodyStream);
});

test("fields() of a plain JSON reply is a shared list that no reply changes", () => {
  const [first, second] = [Response.json(1), Response.json(2)];
  expect(first.fields()).toBe(second.fields());
  first.setHeader("x-a", "1");
  expect(second.fields()).toEqual(["content-type", "application/json"]);
});

test("annotations are stored with the reply by key, and never sent", () => {
  const Tags = key<readonly string[]>("tags", []);
  const Other = key<number | undefined>("tags", 1);
  const reply = Response.json(1);
  expect([reply.annotation(Tags), reply.annotation(Other)]).toEqual([[], 1]);
  reply.annotate(Tags, ["a"]).annotate(Tags, ["b"]).annotate(Other, undefined);
  const copy = reply.clone();
  reply.annotate(Tags, ["c"]);
  expect([reply, copy].map((each) => each.annotation(Tags))).toEqual([["c"], ["b"]]);
  expect([reply.annotation(Other), [...reply.headers]]).toEqual([
    undefined,
    [["content-type", "application/json"]],
  ]);
});

test.each([201, "text/csv", null, () => ({ status: 201 })])(
  "options that are not an object are an error: %p",
  (options) => {
    const badOptions = options as never;
    const calls = [
      () => new Response("x", badOptions),
      () => Response.json({ a: 1 }, badOptions),
      () => Response.text("x", badOptions),
    ];
    for (const call of calls)
      expect(call).toThrow(
        expect.objectContaining({
          code: "CORE_BAD_ARGUMENT",
          message: expect.stringContaining("such as { status: 201 }"),
        }),
      );
  },
);

test.each([
  [undefined, "undefined"],
  [5, "a number"],
  [Promise.resolve("x"), "a promise; await it and pass its value"],
])("text and html reject %p at the call, before a status is logged", (body, kind) => {
  for (const create of [Response.text, Response.html])
    expect(() => create(body as never)).toThrow(
      expect.objectContaining({ code: "CORE_BAD_BODY", message: `a body must be text, not ${kind}` }),
    );
});

test("the status of created is 201 if the options have an undefined status", () => {
  const options: object = { status: undefined };
  expect(Response.created({ id: 7 }, "/books/7", options).status).toBe(201);
  expect(Response.created({ id: 7 }, "/books/7", { status: 202 }).status).toBe(202);
});
