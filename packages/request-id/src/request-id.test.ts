// oxlint-disable jest/no-standalone-expect -- eachClient registers the tests
import { App, ConfigurationError, type HttpRequest } from "@framework/core";
import { eachClient, socketClient, testClient } from "@framework/testing";
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { withRequestId } from "./outgoing.ts";
import { requestId } from "./request-id.ts";
import { isSafeId } from "./safe-id.ts";

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

const makeApp = () => {
  const app = new (App.with(requestId))().enableRequestId();
  app.get("/id", (request) => ({ id: request.requestId, context: request.context.get("request_id") }));
  app.get("/fails", () => {
    throw new Error("failed");
  });
  app.get("/closed", { guards: [() => false] }, () => "never");
  return app;
};

eachClient(test, makeApp, {
  "a request without an id gets a UUID v4, in its context and on the reply": async (client) => {
    const reply = await client.get("/id");
    const id = reply.headers.get("x-request-id");
    expect(id).toMatch(uuid);
    expect(reply.json()).toEqual({ id, context: id });
  },
  "a safe incoming id is kept, on every reply": async (client) => {
    for (const path of ["/id", "/fails", "/closed", "/nowhere", "/%zz"]) {
      const reply = await client.get(path, { headers: { "x-request-id": "abc-1" } });
      expect([path, reply.headers.get("x-request-id")]).toEqual([path, "abc-1"]);
    }
  },
  "each request gets a different id": async (client) => {
    const replies = await Promise.all(Array.from({ length: 200 }, () => client.get("/id")));
    expect(new Set(replies.map(({ headers }) => headers.get("x-request-id"))).size).toBe(200);
  },
});

test.each([
  ["a", true],
  ["7f0c-11:/+=~._", true],
  ["x".repeat(128), true],
  ["x".repeat(129), false],
  ["", false],
  ["a b", false],
  ["a,b", false],
  ["a%0Ab", false],
  ["<script>", false],
  ["a\nb", false],
  ["a\u001b[31mb", false],
])("the incoming id %j is safe: %p", (incoming, safe) => {
  expect(isSafeId(incoming)).toBe(safe);
});

test("only letters, digits and eight other visible characters are safe", async () => {
  const app = makeApp();
  await app.start();
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0x21, max: 0xff }).filter((code) => code !== 0x7f),
      async (code) => {
        const incoming = `a${String.fromCharCode(code)}b`;
        const request = new Request("http://host.test/id", { headers: { "x-request-id": incoming } });
        const id = (await app.fetch(request)).headers.get("x-request-id");
        expect(id === incoming).toBe(/^[A-Za-z0-9._:/+=~-]$/.test(String.fromCharCode(code)));
      },
    ),
    { numRuns: 500 },
  );
});

test("a repeated id field is replaced by a new id", async () => {
  await using client = socketClient(makeApp());
  const reply = await client.get("/id", {
    headers: [
      ["x-request-id", "one"],
      ["x-request-id", "two"],
    ],
  });
  expect(reply.headers.get("x-request-id")).toMatch(uuid);
});

test("field name, createId and keepIncoming are configurable", async () => {
  let created = 0;
  const app = new (App.with(requestId))().enableRequestId({
    headerName: "X-Correlation-ID",
    keepIncoming: false,
    createId: () => `id-${++created}`,
  });
  app.get("/", () => 1);
  await using client = testClient(app);
  const reply = await client.get("/", {
    headers: { "x-correlation-id": "theirs", "x-request-id": "theirs" },
  });
  expect([reply.headers.get("x-correlation-id"), reply.headers.get("x-request-id")]).toEqual(["id-1", null]);
});

test.each([() => "two words", () => 7 as never, () => "", () => Promise.resolve("later") as never, fails])(
  "a request gets an id and a reply when createId fails: %s",
  async (createId) => {
    const app = new (App.with(requestId))().enableRequestId({ createId });
    app.get("/", (request) => request.requestId);
    const warnings: string[] = [];
    const log = { info() {}, warn: (message: string) => void warnings.push(message), error() {} };
    await using client = testClient(app, { log });
    for (const reply of [await client.get("/"), await client.get("/nowhere")])
      expect(reply.headers.get("x-request-id")).toMatch(uuid);
    expect((await client.get("/")).status).toBe(200);
    expect(warnings).toEqual(["request id: createId failed; using a UUID"]);
  },
);

test("if createId returns a promise that rejects, the request gets a UUID, and the process keeps running", async () => {
  const createId = (): never => Promise.reject(new Error("away")) as never;
  const app = new (App.with(requestId))().enableRequestId({ createId });
  app.get("/", (request) => request.requestId);
  const errors: unknown[] = [];
  const log = { info() {}, warn: (_: string, fields?: object) => void errors.push(fields), error() {} };
  const unhandled: unknown[] = [];
  const note = (reason: unknown): void => void unhandled.push(reason);
  process.on("unhandledRejection", note);
  try {
    await using client = testClient(app, { log });
    expect((await client.get("/")).headers.get("x-request-id")).toMatch(uuid);
    await new Promise((resolve) => setImmediate(resolve)); // Node reports unhandled rejections after the microtask queue is empty
  } finally {
    process.off("unhandledRejection", note);
  }
  expect(unhandled).toEqual([]);
  expect(errors).toEqual([{ error: "createId returned a promise; return the value itself" }]);
});

function fails(): never {
  throw new Error("no entropy");
}

test("withRequestId adds the id and keeps the other options", async () => {
  let init: RequestInit = {};
  const app = makeApp();
  app.get("/out", (request) => {
    init = withRequestId(request, { method: "POST", headers: { accept: "*/*" } });
  });
  await using client = testClient(app);
  await client.get("/out", { headers: { "x-request-id": "abc-1" } });
  expect([init.method, [...new Headers(init.headers)]]).toEqual([
    "POST",
    [
      ["accept", "*/*"],
      ["x-request-id", "abc-1"],
    ],
  ]);
  const without: Pick<HttpRequest, "requestId"> = { requestId: null };
  expect(withRequestId(without, init)).toBe(init);
});

test("all invalid options are reported together at start", async () => {
  const app = new (App.with(requestId))().enableRequestId({
    headerName: "X Id",
    keepIncoming: 1 as unknown as boolean,
    createId: "uuid" as never,
  });
  const error: unknown = await app.start().catch((thrown: unknown) => thrown);
  expect((error as ConfigurationError).problems.map(({ message }) => message.split(" ")[0])).toEqual([
    "RequestIdConfig.headerName",
    "RequestIdConfig.keepIncoming",
    "RequestIdConfig.createId",
  ]);
});

test.each(["fast", "node"] as const)(
  "a request that the %s transport rejects gets an id",
  async (transport) => {
    await using client = socketClient(makeApp(), { transport });
    const many = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`x-${index}`, "1"]));
    const kept = await client.get("/id", { headers: { ...many, "x-request-id": "abc-1" } });
    expect([kept.status, kept.headers.get("x-request-id")]).toEqual([431, "abc-1"]);
    expect((await client.get("/id", { headers: many })).headers.get("x-request-id")).toMatch(uuid);
  },
);
