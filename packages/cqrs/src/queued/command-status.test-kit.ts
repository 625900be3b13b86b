// Contract tests for the status of queued commands, for SQLite and PostgreSQL.
import assert from "node:assert/strict";
import { caching } from "@framework/cache";
import { App, type HttpMiddleware, UnauthorizedError } from "@framework/core";
import { portContract, type PortContract } from "@framework/core/testing";
import { database } from "@framework/database";
import type { TestDatabase } from "@framework/database/testing";
import { durable } from "@framework/durable";
import { testClient, waitFor } from "@framework/testing";
import { z } from "zod";
import { add, counterApp, type CounterApp } from "../counters.test-kit.ts";
import { command, type CommandStatus, cqrs } from "../index.ts";

const Raise = command("Raise", {
  input: z.object({ name: z.string(), amount: z.number() }),
  output: z.object({ total: z.number() }),
  key: ({ name }) => name,
  mode: "queued",
  http: { path: "/counters/{name}/raises" },
});

const withRaiseHandler = (app: CounterApp): CounterApp => {
  app.cqrs.handle(Raise, async ({ name, amount }, { tx }) => ({ total: await add(tx, name, amount) }));
  return app;
};

const untilFinished = (app: CounterApp, id: string): Promise<CommandStatus> =>
  waitFor(async () => {
    const status = await app.cqrs.status(id);
    return status !== null && status.state !== "waiting" && status.state !== "running" ? status : null;
  });

export const commandStatus: PortContract<TestDatabase> = portContract<TestDatabase>("command status", {
  "statusPath is the path of the status route": async (storage) => {
    const app = withRaiseHandler(counterApp(storage, { statusPath: "/orders/status" }));
    await using client = testClient(app);
    const { headers } = await client.post("/counters/a/raises", { json: { amount: 2 } });
    const url = headers.get("location") ?? "";
    assert.match(url, /^\/orders\/status\/[\w-]+$/);
    assert.equal((await client.get(url)).status, 200);
    assert.equal((await client.get(url.replace("/orders/status", "/commands"))).status, 404);
  },

  "only the caller gets the status, and only with the complete id": async (storage) => {
    const app = withRaiseHandler(
      counterApp(storage, { callerOf: ({ headers }) => headers.get("x-device") ?? "" }),
    );
    await using client = testClient(app);
    const from = (device: string) => ({ headers: { "x-device": device } });
    const accepted = await client.post("/counters/a/raises", { json: { amount: 2 }, ...from("1") });
    const url = accepted.headers.get("location") ?? "";
    assert.equal((await client.get(url, from("1"))).status, 200);
    assert.equal((await client.get(url, from("2"))).status, 404);
    const [, number = ""] = /(\d+)-/.exec(url) ?? [];
    const [, secret = ""] = /\d+-(.+)$/.exec(url) ?? [];
    const stored = await app.db.query("SELECT payload, headers FROM framework_work"); // visible to operators
    assert.ok(secret.length > 0 && !JSON.stringify(stored).includes(secret));
    for (const id of [number, `${number}-`, `${number}-${"A".repeat(22)}`, "x", "1-"])
      assert.equal((await client.get(`/commands/${id}`, from("1"))).status, 404);
  },

  "the status route applies the middleware and guards of the command, with the path parameters of the original request":
    async (storage) => {
      const Owned = command("Owned", {
        input: z.object({ name: z.string() }),
        output: z.string(),
        mode: "queued",
        guards: [({ context }) => context.get("role") === "owner"],
        http: {
          path: "/owned/{name}",
          guards: [({ params, headers }) => params["name"] === headers.get("x-name") || "Not yours"],
        },
      });
      const app = counterApp(storage);
      const signIn: HttpMiddleware = {
        async handle(request, next) {
          const token = request.getHeader("x-token");
          if (token === null) throw new UnauthorizedError();
          request.context.set("role", token);
          return await next(request);
        },
      };
      app.cqrs.handle(Owned, { use: [signIn] }, () => "secret");
      await using client = testClient(app);
      const owner = { headers: { "x-token": "owner", "x-name": "ann" } };
      const sent = await client.post("/owned/ann", owner);
      assert.equal(sent.status, 202);
      const url = sent.headers.get("location") ?? "";
      await waitFor(async () => (await client.get(url, owner)).json<CommandStatus>().state === "done");
      const own = await client.get(url, owner);
      assert.deepEqual(
        [own.status, own.headers.get("cache-control"), own.json<CommandStatus>().result],
        [200, "no-store", "secret"],
      );
      const refused = [
        await client.get(url),
        await client.get(url, { headers: { "x-token": "reader", "x-name": "ann" } }),
        await client.get(url, { headers: { "x-token": "owner", "x-name": "bob" } }),
      ];
      assert.deepEqual(
        refused.map(({ status }) => status),
        [401, 403, 403],
      );
      for (const { text } of refused) assert.doesNotMatch(text, /secret/);
    },

  "the status route applies the guards of a command without an endpoint": async (storage) => {
    const Guarded = command("Guarded", {
      input: z.string(),
      output: z.string(),
      mode: "queued",
      guards: [({ headers }) => headers.get("x-pin") === "7"],
    });
    const app = counterApp(storage);
    app.cqrs.handle(Guarded, () => "secret");
    await using client = testClient(app);
    await client.get("/"); // starts the app
    const { id } = await app.cqrs.enqueue(Guarded, "", { skipGuards: true });
    await untilFinished(app, id);
    assert.equal((await client.get(`/commands/${id}`)).status, 403);
    const reply = await client.get(`/commands/${id}`, { headers: { "x-pin": "7" } });
    assert.equal(reply.json<CommandStatus>().result, "secret");
  },

  "the cache of an app does not store statuses": async ({ url }) => {
    const app = new (App.with(database, durable, caching, cqrs))()
      .enableDatabase({ url, poolSize: 3 })
      .enableCaching()
      .enableCqrs();
    const gate = Promise.withResolvers<void>();
    const Slow = command("Slow", { input: z.object({}), mode: "queued", http: { path: "/slow" } });
    app.cqrs.handle(Slow, () => gate.promise);
    await using client = testClient(app);
    const { headers } = await client.post("/slow", { json: {} });
    const status = async (): Promise<string> =>
      (await client.get(headers.get("location") ?? "")).json<CommandStatus>().state;
    await waitFor(async () => (await status()) === "running");
    gate.resolve();
    await waitFor(async () => (await status()) === "done");
  },
});
