import { expect, test } from "@jest/globals";
import fc from "fast-check";
import * as v from "valibot";
import { z } from "zod";
import { App, Response, type RouteOptions } from "../index.ts";

const environments = [["development"], ["production"]] as const;

const replyFor = async (
  responses: RouteOptions["responses"] & object,
  handler: () => unknown,
  env = "production",
) => {
  const lines: string[] = [];
  const keep = (text: string) => void lines.push(text);
  const app = new App();
  app.get("/x", { responses }, handler);
  await app.start({ env: env as "production", log: { info() {}, warn: keep, error: keep } });
  const get = async () => app.fetch(new Request("http://host.test/x"));
  await get();
  const reply = await get();
  return { status: reply.status, text: await reply.text(), lines };
};

const account = { ok: true, password: "secret" };
const Ok = z.object({ ok: z.boolean() });

test.each(environments)("a member that the schema does not list is not sent (%s)", async (env) => {
  const json = JSON.stringify(account);
  const handlers: Record<string, () => unknown> = {
    value: () => account,
    promise: async () => account,
    json: () => Response.json(account),
    text: () => new Response(json, { contentType: "application/json; charset=utf-8" }),
    bytes: () => new Response(new TextEncoder().encode(json), { contentType: "Application/JSON" }),
    malformed: () => new Response(json, { contentType: "application/json; charset" }),
    problem: () => new Response(json, { contentType: "application/problem+json" }),
    web: () => globalThis.Response.json(account),
    error: () => Response.json(account, { status: 409 }),
  };
  for (const [name, handler] of Object.entries(handlers)) {
    const { text } = await replyFor({ 200: Ok, 409: v.object({ ok: v.boolean() }) }, handler, env);
    expect([name, text]).toEqual([name, '{"ok":true}']);
  }
});

test("a status without a schema uses the schema of its class, then the default", async () => {
  const schemaOf = (name: string) => z.object({ [name]: z.literal(1) });
  const responses = {
    201: schemaOf("a"),
    "2XX": schemaOf("b"),
    "4XX": schemaOf("c"),
    default: schemaOf("d"),
  };
  const body = { a: 1, b: 1, c: 1, d: 1 };
  const statuses = [201, 200, 409, 418, 500, 302];
  const texts = statuses.map(
    async (status) => (await replyFor(responses, () => Response.json(body, { status }))).text,
  );
  const [a, b, c, d] = ["a", "b", "c", "d"].map((name) => `{"${name}":1}`);
  expect(await Promise.all(texts)).toEqual([a, b, c, c, d, d]);
  expect((await replyFor(responses, () => Response.json({}, { status: 404 }))).status).toBe(500);
  expect((await replyFor({ "4XX": schemaOf("c") }, () => body)).text).toBe(JSON.stringify(body));
});

test("unlisted members of nested objects and lists are not sent, and debug logs their paths once", async () => {
  const User = z.object({ name: z.string() });
  const users = [
    { name: "ada", hash: 1 },
    { name: "bob", hash: 2, salt: 3 },
  ];
  const responses = { 200: z.object({ users: z.array(User) }) };
  const { text, lines } = await replyFor(responses, () => ({ users, next: null }), "development");
  expect(text).toBe('{"users":[{"name":"ada"},{"name":"bob"}]}');
  expect(lines).toEqual([
    "GET /x: the schema for status 200 does not list users.[].hash, users.[].salt, next; omitted from the reply",
  ]);
  expect((await replyFor(responses, () => ({ users, next: null }))).lines).toEqual([]);
});

test("clients get what the schema outputs: defaults are filled in, transforms applied, dates written", async () => {
  const Book = z.object({
    title: z.string().transform((text) => text.trim()),
    genre: z.string().default("General"),
    at: z.coerce.date(),
  });
  const at = new Date(0);
  const { text } = await replyFor({ 200: Book }, () => ({ title: " Emma ", at }));
  expect(JSON.parse(text)).toEqual({ title: "Emma", genre: "General", at: at.toISOString() });
});

test("a schema may change the value in place", async () => {
  const schema = z.any().transform((value: Record<string, unknown>) => {
    delete value["password"];
    return value;
  });
  expect((await replyFor({ 200: schema }, () => account)).text).toBe('{"ok":true}');
});

test.each(environments)(
  "a reply that its schema rejects is a 500, and the log has the path of the value (%s)",
  async (env) => {
    const { status, text, lines } = await replyFor(
      { 200: z.object({ id: z.int() }) },
      () => ({ id: "seven" }),
      env,
    );
    expect(status).toBe(500);
    expect(lines.join()).toContain("response.id");
    expect(text.includes("response.id")).toBe(env === "development");
    const broken = await replyFor(
      { 200: Ok },
      () => new Response("{", { contentType: "application/json" }),
      env,
    );
    expect([broken.status, broken.lines.join().includes("it is not JSON")]).toEqual([500, true]);
    const strict = await replyFor({ 200: z.strictObject({ ok: z.boolean() }) }, () => account, env);
    expect(strict.status).toBe(500);
  },
);

test("an asynchronous schema filters replies", async () => {
  const responses = { 200: z.object({ ok: z.boolean().refine(async () => true) }) };
  expect((await replyFor(responses, () => account)).text).toBe('{"ok":true}');
});

test("replies with another status or type, and streams, are not filtered", async () => {
  expect((await replyFor({ 201: Ok }, () => account)).text).toBe(JSON.stringify(account));
  expect((await replyFor({ 200: Ok }, () => "plain")).text).toBe("plain");
  const stream = () => Response.stream([JSON.stringify(account)], { contentType: "application/json" });
  expect((await replyFor({ 200: Ok }, stream)).text).toBe(JSON.stringify(account));
});

const rawJson = (text: string) => () => new Response(text, { contentType: "application/json" });

test("a reply that equals the schema's output is sent byte for byte", async () => {
  await fc.assert(
    fc.asyncProperty(fc.jsonValue(), fc.nat(4), async (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      expect((await replyFor({ 200: z.any() }, rawJson(text))).text).toBe(text);
    }),
    { numRuns: 30 },
  );
});

test("other spellings of the output are sent byte for byte: spaces, order, numbers", async () => {
  const Sum = z.object({ a: z.number(), b: z.number().optional() });
  for (const text of [
    '{\n "a": 1.0\n}',
    '{"b":1,"a":1E2}',
    '{"a":0.12345678901234567891}',
    '{"a":-0}',
    '{"\\u0061":0.10000000000000001}',
  ])
    expect((await replyFor({ 200: Sum }, rawJson(text))).text).toBe(text);
});

test("a repeated member that parsing drops is not sent", async () => {
  const Nested = z.object({ a: z.object({ ok: z.boolean() }), text: z.string() });
  const text = '{"a": {"password": "secret"}, "text": "\\":,", "a": {"ok": true}}';
  expect((await replyFor({ 200: Nested }, rawJson(text))).text).toBe('{"a":{"ok":true},"text":"\\":,"}');
});

test("numbers that a double cannot represent are rejected if filtering would round them, other spellings are not", async () => {
  const Sum = z.object({ a: z.any() });
  for (const a of [
    "0.12345678901234567891",
    "12345678901234567.25",
    "1234567890123456.7",
    "1e400",
    "1e-400",
  ]) {
    const { status, lines } = await replyFor({ 200: Sum }, rawJson(`{"a":${a},"more":1}`));
    expect([a, status, lines.join().includes("more digits than a double")]).toEqual([a, 500, true]);
  }
  for (const [a, sent] of [
    ["1.0", "1"],
    ["0.10000000000000001", "0.1"], // the 17 digits that other languages write
    ["1234567890123456.00", "1234567890123456"],
    ["100000000000000000000000", "1e+23"],
    ['"12345678901234567.25"', '"12345678901234567.25"'],
  ]) {
    const { text } = await replyFor({ 200: Sum }, rawJson(`{"a":${a},"more":1}`));
    expect(text).toBe(`{"a":${sent}}`);
  }
});

test("only listed members are sent, whatever their values", async () => {
  const Listed = z.object({ a: z.any(), b: z.object({ c: z.any() }).optional() });
  const extra = fc.dictionary(fc.string(), fc.jsonValue());
  await fc.assert(
    fc.asyncProperty(fc.jsonValue(), extra, extra, async (a, outer, inner) => {
      const { text } = await replyFor({ 200: Listed }, () => ({ ...outer, a, b: { ...inner, c: a } }));
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify({ a, b: { c: a } })));
    }),
    { numRuns: 30 },
  );
});

test("integers beyond 2^53 stay exact, and are rejected if filtering would round them", async () => {
  const Big = z.object({ id: z.number() });
  const powerOfTwo = (more: object) => () => Response.json({ id: 2n ** 63n, ...more }, { bigint: true });
  expect((await replyFor({ 200: Big }, powerOfTwo({}))).text).toBe('{"id":9223372036854775808}');
  const oddInteger = (more: object) => () => Response.json({ id: 2n ** 63n + 1n, ...more }, { bigint: true });
  expect((await replyFor({ 200: Big }, oddInteger({}))).text).toBe('{"id":9223372036854775809}');
  const rounded = await replyFor({ 200: Big }, oddInteger({ more: 1 }));
  expect([rounded.status, rounded.lines.join().includes("an integer beyond 2^53")]).toEqual([500, true]);
});
