import { expect, test } from "@jest/globals";
import fc from "fast-check";
import type { FrameworkError } from "../errors/framework-error.ts";
import { App, Response } from "../index.ts";
import { type Feature, mapAwaitable } from "../feature.ts";
import { ResponseHeaders } from "./response-headers.ts";

const bad = expect.objectContaining({ code: "CORE_BAD_HEADER" });

test("finds a field in any case and returns its lower-case name", () => {
  const headers = new ResponseHeaders({ "X-Total": "7" });
  expect(headers.get("x-TOTAL")).toBe("7");
  expect(headers.has("X-total")).toBe(true);
  expect(headers.toFields()).toEqual(["x-total", "7"]);
  headers.delete("X-TOTAL");
  expect(headers.get("x-total")).toBeNull();
});

test("set replaces all lines of a field at the position of the first", () => {
  const headers = new ResponseHeaders([
    ["vary", "origin"],
    ["a", "1"],
    ["vary", "accept"],
  ]);
  headers.set("Vary", "*");
  expect(headers.toFields()).toEqual(["vary", "*", "a", "1"]);
});

test("a value equal to a field's name does not match the field", () => {
  const headers = new ResponseHeaders({ a: "b" });
  headers.set("b", "c");
  expect(headers.toFields()).toEqual(["a", "b", "b", "c"]);
});

test("keeps every Set-Cookie on a separate line", () => {
  const headers = new ResponseHeaders();
  headers.append("Set-Cookie", "a=1");
  headers.append("vary", "origin");
  headers.append("set-cookie", "b=2");
  expect(headers.getSetCookie()).toEqual(["a=1", "b=2"]);
  expect([...headers]).toEqual([
    ["set-cookie", "a=1"],
    ["set-cookie", "b=2"],
    ["vary", "origin"],
  ]);
});

test("can be built from the web's Headers and converted to them", () => {
  const web = new Headers({ b: "2", a: "1" });
  web.append("set-cookie", "x=1");
  web.append("set-cookie", "y=2");
  const ours = new ResponseHeaders(web);
  expect([...new Headers([...ours])]).toEqual([...web]);
});

test("iterates as the web's Headers does", () => {
  const name = fc.constantFrom("a", "B", "c", "set-cookie", "X-Y");
  const lines = fc.array(fc.tuple(name, fc.stringMatching(/^[!-~]{0,8}$/)), { maxLength: 12 });
  fc.assert(
    fc.property(lines, (pairs) => {
      const [ours, web] = [new ResponseHeaders(pairs), new Headers(pairs)];
      expect([...ours]).toEqual([...web]);
      expect([...ours.keys()]).toEqual([...web.keys()]);
      expect([...ours.values()]).toEqual([...web.values()]);
      const seen: string[][] = [];
      ours.forEach((value, key) => seen.push([key, value]));
      expect(seen).toEqual([...web]);
    }),
  );
});

test("trims spaces and tabs at both ends of a value", () => {
  expect(new ResponseHeaders({ a: " \t x y\t " }).get("a")).toBe("x y");
  expect(new ResponseHeaders({ a: " \t " }).get("a")).toBe("");
});

test("writes numbers as text and rejects undefined, null and objects", () => {
  expect(new ResponseHeaders({ a: 5 as unknown as string }).get("a")).toBe("5");
  for (const value of [undefined, null, {}, []]) {
    expect(() => new ResponseHeaders({ a: value as unknown as string })).toThrow(bad);
  }
});

test.each(["", "a b", "a:", "a\r", "ä", "a\n", "(a)", " a"])("rejects the name %j", (name) => {
  expect(() => new ResponseHeaders().append(name, "x")).toThrow(bad);
  expect(() => new ResponseHeaders().set(name, "x")).toThrow(bad);
  expect(() => new ResponseHeaders().get(name)).toThrow(bad);
});

const valueOrCode = (value: string): string | null => {
  try {
    return new ResponseHeaders({ a: value }).get("a");
  } catch (error) {
    return (error as FrameworkError).code;
  }
};

test("rejects control characters and characters above U+00FF at every position of a value", () => {
  const unit = fc.integer({ min: 0, max: 0xffff });
  fc.assert(
    fc.property(
      fc.stringMatching(/^[!-~]{0,20}$/),
      unit,
      fc.stringMatching(/^[!-~]{0,20}$/),
      (before, code, after) => {
        const value = before + String.fromCharCode(code) + after;
        const isAllowed = code === 9 || (code >= 0x20 && code !== 0x7f && code <= 0xff);
        const trimmed = value.replaceAll(/^[ \t]+|[ \t]+$/g, "");
        expect(valueOrCode(value)).toBe(isAllowed ? trimmed : "CORE_BAD_HEADER");
      },
    ),
    { numRuns: 300 },
  );
});

test("the error names the field, the character and its position, never the value", () => {
  const construct = () => new ResponseHeaders({ "X-Key": "secret\r\nset-cookie: a=1" });
  expect(construct).toThrow(/x-key.*U\+000D at position 6/);
  expect(construct).not.toThrow(/secret/);
});

test("treats names of Object.prototype as data", () => {
  const headers = new ResponseHeaders(
    JSON.parse('{"__proto__":"a","constructor":"b"}') as Record<string, string>,
  );
  expect(headers.get("__proto__")).toBe("a");
  expect(headers.get("constructor")).toBe("b");
  expect(headers.get("tostring")).toBeNull();
});

test("accepts 128 lines and rejects one more", () => {
  const headers = new ResponseHeaders();
  for (let index = 0; index < 128; index++) headers.append(`x-${index}`, "1");
  expect(() => headers.append("x-128", "1")).toThrow(bad);
  headers.set("x-5", "2");
  expect(headers.toFields()).toHaveLength(256);
});

const lines = (count: number): [string, string][] =>
  Array.from({ length: count }, (_, index) => [`x-${index}`, "1"]);

const manyFields: Feature = {
  name: "many-fields",
  install: (host) => {
    host.http.use("headers", (request, next) =>
      mapAwaitable(next(request), (reply) => {
        for (let index = 0; index < 28; index++) reply.setHeader(`y-${index}`, "1");
        return reply;
      }),
    );
    return {};
  },
};

test("a handler may set 100 lines, and features 28 more", async () => {
  const app = new (App.with(manyFields))();
  app.get("/ours/{count}", ({ params }) => new Response(null, { headers: lines(Number(params.count)) }));
  app.get("/web", () => new globalThis.Response(null, { headers: lines(101) }));
  await app.start({ log: { info() {}, warn() {}, error() {} } });
  const get = (path: string) => app.fetch(new Request(`http://localhost${path}`));
  const full = await get("/ours/100");
  expect([full.status, [...full.headers].length]).toEqual([200, 129]); // and content-length, which the transport adds
  for (const path of ["/ours/101", "/web"]) {
    const reply = await get(path);
    expect([reply.status, reply.headers.has("y-27")]).toEqual([500, true]);
  }
});

test("a value is checked again whenever it changes", () => {
  const headers = new ResponseHeaders();
  for (const value of ["fine\n", "fine\u0100", "fine\r\nx: y"]) {
    headers.set("x-again", "fine");
    headers.set("x-again", "fine");
    expect(() => headers.set("x-again", value)).toThrow(/x-again holds U\+/);
  }
  headers.set("x-again", " fine ");
  expect([...headers]).toEqual([["x-again", "fine"]]);
  expect(() => headers.set("x-never", undefined as unknown as string)).toThrow("x-never must be a string");
});
