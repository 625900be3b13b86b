import { expect, test } from "@jest/globals";
import { App, RateLimitError } from "../index.ts";
import type { Feature, Host } from "../feature.ts";

/** Rejects every request and marks the reply, in one middleware. */
const refusing = (error: Error): Feature => ({
  name: "refusing",
  install: (host) => {
    host.http.use("rate-limit", async (request) => {
      const reply = await host.http.replyTo(error, request);
      return reply.setHeader("x-refused", "yes");
    });
    return {};
  },
});

const get = (app: App, headers: Record<string, string> = {}) =>
  app.fetch(new Request("http://host.test/a", { headers }));

test("a feature's refusal has the standard error body, and can set fields of the reply", async () => {
  const reply = await get(new (App.with(refusing(new RateLimitError(7))))());
  expect(reply.status).toBe(429);
  expect(reply.headers.get("x-refused")).toBe("yes");
  expect(reply.headers.get("retry-after")).toBe("7");
  expect(await reply.json()).toMatchObject({ error: "Too Many Requests", status: 429 });
});

test("a refusal is problem+json for a client that accepts it", async () => {
  const reply = await get(new (App.with(refusing(new RateLimitError(7))))(), {
    accept: "application/problem+json",
  });
  expect(reply.headers.get("content-type")).toBe("application/problem+json");
  expect(await reply.json()).toMatchObject({ status: 429, instance: "/a" });
});

test("the program's exception handler can replace a refusal", async () => {
  const app = new (App.with(refusing(new RateLimitError(7))))();
  app.exceptionHandler(RateLimitError, ({ path }) => ({ slower: path }));
  const reply = await get(app);
  expect([reply.status, reply.headers.get("x-refused"), await reply.json()]).toEqual([
    429,
    "yes",
    { slower: "/a" },
  ]);
});

test("a failing exception handler still results in a reply, and an unexpected error is logged", async () => {
  const errors: string[] = [];
  const log = { info() {}, warn() {}, error: (message: string) => void errors.push(message) };
  const broken = new (App.with(refusing(new RateLimitError(7))))();
  broken.exceptionHandler(RateLimitError, () => {
    throw new Error("broken");
  });
  await broken.start({ log });
  expect((await get(broken)).status).toBe(500);
  const unexpected = new (App.with(refusing(new TypeError("oops"))))();
  await unexpected.start({ log });
  expect((await get(unexpected)).status).toBe(500);
  expect(errors).toEqual(["an exception handler failed", "GET /a failed: oops"]);
});

test("replyTo throws before start", () => {
  let http: Host["http"] | null = null;
  const early: Feature = {
    name: "early",
    install: (host) => {
      ({ http } = host);
      return {};
    },
  };
  new (App.with(early))();
  expect(() => http?.replyTo(new Error("early"), null as never)).toThrow(
    expect.objectContaining({ code: "CORE_NOT_STARTED" }),
  );
});
