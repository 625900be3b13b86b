import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { z } from "zod";
import { App, type HttpRequest } from "../../index.ts";
import type { Kernel } from "../../kernel/kernel.ts";
import { fieldValue } from "../../http/field-values.ts";
import type { RequestSource } from "../../exchange/request-source.ts";
import { anyCharacter } from "../../http/testing/any-character.ts";

const log = { info() {}, warn() {}, error() {} };

/** Creates an app whose handlers access every member that is built from client input. */
const createApp = (): App => {
  const app = new App();
  const readMembers = (request: HttpRequest) => {
    const { query, cookies, headers, params, contentType, clientIp, host, url, isJson, isXhr } = request;
    const read = {
      query: query.toObject(),
      cookies: cookies.toObject(),
      headers: headers.toObject(),
      params,
    };
    return { ...read, contentType, clientIp, host, url, isJson, isXhr, html: request.accepts("text/html") };
  };
  app.route("/members/{*rest}", { methods: ["GET", "POST", "PUT", "DELETE"] }, (request) =>
    readMembers(request as never),
  );
  app.post("/json", async (request) => ({ body: await request.json() }));
  app.post("/form", async (request) => [(await request.form()).toObject(), (await request.files()).length]);
  app.post("/text", async (request) => request.text());
  app.post("/schema", { body: z.object({ a: z.string() }) }, ({ input }) => input.body);
  app.get("/number/{n}", (request) => request.getParamInt("n"));
  app.get("/flags", (request) => [
    request.getQueryBool("a"),
    request.getQueryInt("b"),
    request.getQueryFloat("c"),
  ]);
  return app;
};

const word = fc.oneof(fc.string({ maxLength: 20 }), fc.string({ unit: anyCharacter, maxLength: 8 }));
const path = fc.oneof(
  fc.constantFrom(
    "/json",
    "/form",
    "/text",
    "/schema",
    "/members/x",
    "/number/1",
    "/flags",
    "/",
    "//",
    "*",
    "/%00",
    "/..%2f",
  ),
  word.map((text) => `/members/${text}`),
  word.map((text) => `/number/${text}`),
  word,
);
const query = fc.oneof(
  fc.constant(""),
  word.map((text) => `?${text}`),
  word.map((text) => `?a=${text}&b=${text}&__proto__=1`),
);
const method = fc.constantFrom(
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "PATCH",
  "DELETE",
  "OPTIONS",
  "QUERY",
  "BREW",
  "TRACE",
);
const type = fc.oneof(
  fc.constantFrom(
    "application/json",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "text/plain;charset=utf-16",
    "application/json;",
    "__proto__/constructor",
  ),
  word,
);
const json = fc.json({ maxDepth: 3 }).map((text) => new TextEncoder().encode(text));
const multipart = fc
  .tuple(word, word)
  .map(([name, text]) => `--x\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${text}\r\n--x--\r\n`)
  .map((text) => new TextEncoder().encode(text));
const body = fc.oneof(fc.constant(null), fc.uint8Array({ maxLength: 64 }), json, multipart);
const fields = fc.array(
  fc.tuple(
    fc.constantFrom(
      "accept",
      "cookie",
      "content-type",
      "authorization",
      "x-request-id",
      "x-forwarded-for",
      "__proto__",
      "range",
    ),
    fc.oneof(type, word),
  ),
  { maxLength: 5 },
);

const sourceOf = (
  target: string,
  verb: string,
  pairs: readonly (readonly [string, string])[],
  bytes: Uint8Array | null,
) => {
  const flat = pairs.flat();
  const source: RequestSource = {
    method: verb,
    target,
    scheme: "http",
    authority: "host.test",
    remoteAddress: "127.0.0.1",
    fields: flat,
    field: (name) => fieldValue(flat, name),
    bodyLength: bytes === null ? 0 : null,
    buffered: null,
    async *chunks() {
      if (bytes !== null) yield bytes;
    },
    onEnd() {},
  };
  return source;
};

test("no request causes an internal error of the framework", async () => {
  const app = await createApp().start({ log });
  const { kernel } = app as unknown as { kernel: Kernel }; // `serve` of the kernel accepts input that a web request cannot express
  await fc.assert(
    fc.asyncProperty(
      path,
      query,
      method,
      fields,
      type,
      body,
      async (where, search, verb, pairs, mediaType, bytes) => {
        const given = [...pairs, ["content-type", mediaType] as const];
        const reply = await kernel.serve(sourceOf(where + search, verb, given, bytes));
        const text = await reply.text();
        if (reply.status >= 500 && reply.status !== 501) throw new Error(`${reply.status}: ${text}`);
      },
    ),
    { numRuns: 3000 },
  );
});

test("no web request makes fetch reject", async () => {
  const app = createApp();
  await app.start({ log });
  const web = (where: string, verb: string, mediaType: string, bytes: Uint8Array | null) => {
    const withBody = verb !== "GET" && verb !== "HEAD" && bytes !== null;
    try {
      return new Request(`http://host.test${where}`, {
        method: verb,
        headers: { "content-type": mediaType },
        ...(withBody ? { body: bytes as Uint8Array<ArrayBuffer> } : {}),
      });
    } catch {
      return null; // input that is not a valid web request cannot be sent
    }
  };
  await fc.assert(
    fc.asyncProperty(path, query, method, type, body, async (where, search, verb, mediaType, bytes) => {
      const request = web(where + search, verb, mediaType, bytes);
      fc.pre(request !== null);
      const reply = await app.fetch(request);
      await reply.arrayBuffer();
      expect(reply.status === 501 || reply.status < 500).toBe(true);
    }),
    { numRuns: 1000 },
  );
});

test("client input never changes a prototype", async () => {
  const before = Object.getOwnPropertyNames(Object.prototype).join();
  const app = createApp();
  const names = ["__proto__", "constructor", "prototype", "toString"];
  for (const name of names) {
    const form = new URLSearchParams({ [name]: "1", [`${name}[polluted]`]: "1" });
    const jsonPost = { method: "POST", headers: { "content-type": "application/json" } };
    const replies = await Promise.all([
      app.fetch(
        new Request(`http://host.test/members/${name}?${form.toString()}`, {
          headers: { cookie: `${name}=1`, [name]: "1" },
        }),
      ),
      app.fetch(new Request("http://host.test/form", { method: "POST", body: form })),
      app.fetch(new Request("http://host.test/json", { ...jsonPost, body: `{"${name}":{"polluted":1}}` })),
      app.fetch(
        new Request("http://host.test/schema", { ...jsonPost, body: `{"a":"x","${name}":{"polluted":1}}` }),
      ),
    ]);
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const [membersText, formText, jsonText] = await Promise.all(replies.map((reply) => reply.text()));
    for (const text of [membersText, formText, jsonText]) expect(text).toContain(`"${name}":`);
  }
  expect(Object.getOwnPropertyNames(Object.prototype).join()).toBe(before);
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
});
