import { App } from "@framework/core";
import { database } from "@framework/database";
import { durable } from "@framework/durable";
import { testClient } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { z } from "zod";
import { command, cqrs } from "../index.ts";
import { endpointApp } from "./endpoint-app.test-kit.ts";

test("a command with Idempotency-Key, quoted or not, takes effect once", async () => {
  await using client = testClient(endpointApp());
  const take = (key: string, amount = 2) =>
    client.post("/counters/a/takings", { json: { amount }, headers: { "idempotency-key": key } });
  const first = await take('"k-1"');
  const second = await take("k-1");
  expect([first.status, first.headers.get("idempotent-replayed")]).toEqual([201, null]);
  expect([second.status, second.text, second.headers.get("idempotent-replayed")]).toEqual([
    201,
    first.text,
    "true",
  ]);
  expect((await client.get("/counters/a")).json()).toBe(-2);
  expect((await take("k-1", 3)).json()).toMatchObject({ status: 422, error: "Unprocessable Content" });
});

test.each(['""', '"a', 'a"b', "two words", "ü", "x".repeat(256), '"\\x"', '"a" b'])(
  "the malformed key %s is refused with 400",
  async (key) => {
    await using client = testClient(endpointApp());
    const headers = { "idempotency-key": key };
    expect((await client.post("/counters/a/takings", { json: { amount: 1 }, headers })).status).toBe(400);
  },
);

test("a body that is nested too deeply is refused with 400", async () => {
  const Any = command("Any", { input: z.any(), http: { path: "/any" } });
  const app = new (App.with(database, durable, cqrs))()
    .enableDatabase({ url: "sqlite://:memory:" })
    .enableCqrs();
  app.cqrs.handle(Any, () => {});
  await using client = testClient(app);
  const body = "[".repeat(100_000) + "]".repeat(100_000);
  const headers = { "content-type": "application/json", "idempotency-key": "k" };
  expect((await client.post("/any", { body, headers })).status).toBe(400);
});

test("a form with a file is refused with 422 if its input would be stored, and accepted otherwise", async () => {
  const input = z.object({ title: z.string() });
  const Direct = command("Direct", { input, http: { path: "/direct" } });
  const Later = command("Later", { input, mode: "queued", http: { path: "/later" } });
  const app = new (App.with(database, durable, cqrs))()
    .enableDatabase({ url: "sqlite://:memory:" })
    .enableCqrs();
  app.cqrs.handle(Direct, () => {}).handle(Later, () => {});
  const post = async (path: string, headers: Record<string, string> = {}) => {
    const body = new FormData();
    body.set("title", "Emma");
    body.set("scan", new File(["pages"], "scan.txt"));
    body.append("list", new File(["pages"], "one.txt"));
    body.append("list", "two");
    return await app.fetch(new Request(`http://localhost${path}`, { method: "POST", body, headers }));
  };
  for (const reply of [await post("/later"), await post("/direct", { "idempotency-key": "k" })]) {
    expect(reply.status).toBe(422);
    const { errors } = (await reply.json()) as { readonly errors: readonly { readonly loc: unknown }[] };
    expect(new Set(errors.map(({ loc }) => loc))).toEqual(
      new Set([
        ["body", "scan"],
        ["body", "list"],
      ]),
    );
  }
  expect((await post("/direct")).status).toBe(204);
  await app.stop();
});

test("a key that is sent to a command with idempotency none is refused with 400, and nothing is executed", async () => {
  let calls = 0;
  const options = { input: z.any(), idempotency: "none" } as const;
  const Ping = command("Ping", { ...options, http: { path: "/pings" } });
  const Later = command("Later", { ...options, mode: "queued", http: { path: "/later" } });
  const app = new (App.with(database, durable, cqrs))()
    .enableDatabase({ url: "sqlite://:memory:" })
    .enableCqrs();
  app.cqrs.handle(Ping, () => void calls++).handle(Later, () => void calls++);
  await using client = testClient(app);
  const headers = { "idempotency-key": "k" };
  for (const path of ["/pings", "/later"])
    expect((await client.post(path, { json: 1, headers })).json()).toMatchObject({
      status: 400,
      detail: "This operation does not accept an idempotency key",
    });
  expect(calls).toBe(0);
  expect((await client.post("/pings", { json: 1 })).status).toBe(204);
});

test("a request with two Idempotency-Key fields is refused", async () => {
  await using client = testClient(endpointApp());
  const headers = new Headers({ "idempotency-key": "a" });
  headers.append("idempotency-key", "b");
  const reply = await client.post("/counters/a/takings", {
    json: { amount: 1 },
    headers: Object.fromEntries(headers),
  });
  expect(reply.status).toBe(400);
});

test("a command without a result replies with 204, and a missing required key is refused with 400", async () => {
  await using client = testClient(endpointApp());
  expect((await client.delete("/counters/a")).json()).toMatchObject({ status: 400 });
  const reply = await client.delete("/counters/a", { headers: { "idempotency-key": "k" } });
  expect([reply.status, reply.text]).toEqual([204, ""]);
});
