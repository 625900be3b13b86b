// Facts about queued commands, the same on both kinds of database.
import assert from "node:assert/strict";
import { caching } from "@framework/cache";
import { App, HttpError, type HttpMiddleware, UnauthorizedError } from "@framework/core";
import { portContract, type PortContract } from "@framework/core/testing";
import { database, openDatabase } from "@framework/database";
import { crashAtEachStatement, faultingDatabase } from "@framework/database/testing";
import type { TestDatabase } from "@framework/database/testing";
import { durable } from "@framework/durable";
import { testClient, waitFor } from "@framework/testing";
import { z } from "zod";
import {
  add,
  Add,
  counterApp,
  counterAppOn,
  type CounterApp,
  failureOf,
  newLog,
  started,
  TABLE,
  totalOf,
} from "../counters.test-kit.ts";
import { command, type CommandStatus, cqrs } from "../index.ts";

const Raise = command("Raise", {
  input: z.object({ name: z.string(), amount: z.number() }),
  output: z.object({ total: z.number() }),
  key: ({ name }) => name,
  mode: "queued",
  http: { path: "/counters/{name}/raises" },
});
const one = { name: "a", amount: 1 };

const raising = (app: CounterApp): CounterApp => {
  app.cqrs.handle(Raise, async ({ name, amount }, { tx }) => ({ total: await add(tx, name, amount) }));
  return app;
};

const finished = (app: CounterApp, id: string): Promise<CommandStatus> =>
  waitFor(async () => {
    const status = await app.cqrs.status(id);
    return status !== null && status.state !== "waiting" && status.state !== "running" ? status : null;
  });

/** Makes the next attempt due, as if its delay had passed. */
const hurry = async ({ db }: Pick<CounterApp, "db">): Promise<void> =>
  void (await db.execute(
    "UPDATE framework_work SET state = 'ready', run_at = 0, wake_at = NULL WHERE state = 'waiting'",
  ));

export const queued: PortContract<TestDatabase> = portContract<TestDatabase>("queued commands", {
  "over HTTP a command is accepted with 202, and its status URL has the result": async (place) => {
    const gate = Promise.withResolvers<void>();
    const app = counterApp(place);
    app.cqrs.handle(Raise, async ({ name, amount }, { tx }) => {
      const total = await add(tx, name, amount);
      await gate.promise;
      return { total };
    });
    await using client = testClient(app);
    const accepted = await client.post("/counters/a/raises", { json: { amount: 2 } });
    const { id, status_url: url } = accepted.json<{ id: string; status_url: string }>();
    assert.deepEqual([accepted.status, accepted.headers.get("location"), url], [202, url, `/commands/${id}`]);
    await waitFor(async () => (await client.get(url)).json<CommandStatus>().state === "running");
    gate.resolve();
    await waitFor(async () => (await client.get(url)).json<CommandStatus>().state === "done");
    assert.deepEqual((await client.get(url)).json(), {
      command: "Raise",
      state: "done",
      result: { total: 2 },
    });
    assert.equal(await totalOf(app, "a"), 2);
  },

  "statusPath is the path of the status of commands": async (place) => {
    const app = raising(counterApp(place, { statusPath: "/orders/status" }));
    await using client = testClient(app);
    const { headers } = await client.post("/counters/a/raises", { json: { amount: 2 } });
    const url = headers.get("location") ?? "";
    assert.match(url, /^\/orders\/status\/[\w-]+$/);
    assert.equal((await client.get(url)).status, 200);
    assert.equal((await client.get(url.replace("/orders/status", "/commands"))).status, 404);
  },

  "guards, schema and idempotency key apply at once": async (place) => {
    const Guarded = command("Guarded", {
      input: z.string(),
      mode: "queued",
      guards: [
        ({ context }) => {
          if (context.get("user") !== "ann") throw new UnauthorizedError();
        },
      ],
    });
    const app = raising(counterApp(place));
    app.cqrs.handle(Guarded, () => {});
    await started(app, async () => {
      assert.equal((await failureOf(app.cqrs.enqueue(Guarded, "a"))).status, 401);
      assert.equal((await failureOf(app.cqrs.enqueue(Raise, { name: "a" } as never))).status, 422);
      const first = await app.cqrs.enqueue(Raise, one, { idempotencyKey: "k" });
      assert.deepEqual(await app.cqrs.enqueue(Raise, one, { idempotencyKey: "k" }), {
        ...first,
        isReplay: true,
      });
      const reused = app.cqrs.enqueue(Raise, { name: "a", amount: 2 }, { idempotencyKey: "k" });
      assert.equal((await failureOf(reused)).status, 422);
      await finished(app, first.id);
      assert.equal(await totalOf(app, "a"), 1);
    });
  },

  "only the caller sees the status, and only with the whole id": async (place) => {
    const app = raising(counterApp(place, { callerOf: ({ headers }) => headers.get("x-device") ?? "" }));
    await using client = testClient(app);
    const from = (device: string) => ({ headers: { "x-device": device } });
    const accepted = await client.post("/counters/a/raises", { json: { amount: 2 }, ...from("1") });
    const url = accepted.headers.get("location") ?? "";
    assert.equal((await client.get(url, from("1"))).status, 200);
    assert.equal((await client.get(url, from("2"))).status, 404);
    const [, number = ""] = /(\d+)-/.exec(url) ?? [];
    const [, secret = ""] = /\d+-(.+)$/.exec(url) ?? [];
    const stored = await app.db.query("SELECT payload, headers FROM framework_work"); // which operators see
    assert.ok(secret.length > 0 && !JSON.stringify(stored).includes(secret));
    for (const id of [number, `${number}-`, `${number}-${"A".repeat(22)}`, "x", "1-"])
      assert.equal((await client.get(`/commands/${id}`, from("1"))).status, 404);
  },

  "the status passes the middleware and guards of its command, with the path parameters of the request that sent it":
    async (place) => {
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
      const app = counterApp(place);
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
        await client.get(url, { headers: { "x-token": "guest", "x-name": "ann" } }),
        await client.get(url, { headers: { "x-token": "owner", "x-name": "bob" } }),
      ];
      assert.deepEqual(
        refused.map(({ status }) => status),
        [401, 403, 403],
      );
      for (const { text } of refused) assert.doesNotMatch(text, /secret/);
    },

  "the status of a command without an endpoint passes its guards": async (place) => {
    const Guarded = command("Guarded", {
      input: z.string(),
      output: z.string(),
      mode: "queued",
      guards: [({ headers }) => headers.get("x-pin") === "7"],
    });
    const app = counterApp(place);
    app.cqrs.handle(Guarded, () => "secret");
    await using client = testClient(app);
    await client.get("/"); // starts the app
    const { id } = await app.cqrs.enqueue(Guarded, "", { skipGuards: true });
    await finished(app, id);
    assert.equal((await client.get(`/commands/${id}`)).status, 403);
    const reply = await client.get(`/commands/${id}`, { headers: { "x-pin": "7" } });
    assert.equal(reply.json<CommandStatus>().result, "secret");
  },

  "a cache of the app keeps no status": async ({ url }) => {
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

  "the handler sees the caller and tenant of the call": async (place) => {
    const Who = command("Who", { input: z.string(), output: z.string(), mode: "queued" });
    const app = counterApp(place, { tenantOf: () => "t" });
    app.cqrs.handle(
      Who,
      (_input, { invocation, tenant }) => `${String(invocation.context.get("user"))} ${tenant}`,
    );
    app.post("/who", async (request) => {
      request.context.set("user", "ann");
      return await app.cqrs.enqueue(Who, "", { from: request });
    });
    await using client = testClient(app);
    const { id } = (await client.post("/who")).json<{ id: string }>();
    assert.equal((await finished(app, id)).result, "ann t");
  },

  "a rejection is the outcome: nothing is repeated": async (place) => {
    const app = counterApp(place);
    let calls = 0;
    app.cqrs.handle(Raise, async ({ name }, { tx }) => {
      calls++;
      await add(tx, name, 1);
      throw new HttpError(409, "The shelf is full", { shelf: 7 });
    });
    await started(app, async () => {
      const { id } = await app.cqrs.enqueue(Raise, one);
      const failure = { status: 409, error: "Conflict", detail: "The shelf is full", shelf: 7 };
      assert.deepEqual(await finished(app, id), { command: "Raise", state: "failed", failure });
      assert.deepEqual([calls, await totalOf(app, "a")], [1, null]);
    });
  },

  "a bug is tried again, and its message stays in the log": async (place) => {
    const app = counterApp(place);
    let calls = 0;
    app.cqrs.handle(Raise, () => {
      calls++;
      throw new TypeError("password is undefined");
    });
    await started(app, async () => {
      const { id } = await app.cqrs.enqueue(Raise, one);
      await waitFor(async () => {
        await hurry(app);
        return (await app.cqrs.status(id))?.state === "failed";
      });
      const failure = { status: 500, error: "Internal Server Error", detail: "The command failed" };
      assert.deepEqual(await app.cqrs.status(id), { command: "Raise", state: "failed", failure });
      assert.equal(calls, 5);
    });
  },

  "commands of one key run in the order in which they were added": async (place) => {
    const app = counterApp(place);
    const order: number[] = [];
    app.cqrs.handle(Raise, ({ amount }) => {
      order.push(amount);
      return { total: amount };
    });
    await started(app, async () => {
      const ids: string[] = [];
      for (let amount = 1; amount <= 8; amount++)
        ids.push((await app.cqrs.enqueue(Raise, { name: "a", amount })).id);
      for (const id of ids) await finished(app, id);
      assert.deepEqual(order, [1, 2, 3, 4, 5, 6, 7, 8]);
    });
  },

  "an input that JSON loses is refused": async (place) => {
    const Sum = command("Sum", { input: z.any(), mode: "queued" });
    const app = counterApp(place);
    app.cqrs.handle(Sum, () => {});
    await started(app, async () => {
      for (const input of [{ a: new Map() }, { a: 1n }, { a: Number.NaN }]) {
        const refused = await failureOf(app.cqrs.enqueue(Sum, input));
        assert.equal(refused.code, "CQRS_BAD_INPUT");
        assert.match(refused.message, /\$\.a is /);
      }
    });
  },

  "a command that is not queued is refused": async (place) => {
    const app = raising(counterApp(place));
    app.cqrs.handle(Add, () => ({ total: 1 }));
    await started(app, async () => {
      assert.equal((await failureOf(app.cqrs.enqueue(Add, one))).code, "CQRS_NOT_QUEUED");
      assert.deepEqual((await app.cqrs.execute(Raise, one)).value, { total: 1 }); // directly is allowed
    });
    const none = counterApp(place);
    await started(none, async () => {
      assert.equal((await failureOf(none.cqrs.status("1-x"))).code, "CQRS_NOT_QUEUED");
    });
  },

  "after a crash at any statement a queued command happens exactly once": async ({ url }) => {
    const db = openDatabase({ url, poolSize: 3 });
    await db.execute(TABLE);
    let round = 0;
    const crashed = await crashAtEachStatement(async (crash) => {
      const name = `n${++round}`;
      const doomed = faultingDatabase(db, crash);
      let isArmed = false;
      let isEnqueuing = false;
      const own = Object.create(db, {
        transaction: {
          value: (run: never, options: { readonly retries?: number } = {}) => {
            const isOwn = options.retries === 0; // those of this package
            const isCommand = isOwn && isArmed && !isEnqueuing;
            if (isOwn && isEnqueuing) isEnqueuing = false;
            else if (isCommand) isArmed = false; // the next attempt is that of another process
            return (isCommand ? doomed : db).transaction(run, options);
          },
        },
      }) as typeof db;
      const app = raising(counterAppOn(own));
      await app.start({ log: newLog() });
      isArmed = true;
      isEnqueuing = true;
      const { id } = await app.cqrs.enqueue(Raise, { name, amount: 5 });
      await waitFor(async () => {
        await hurry({ db });
        return (await app.cqrs.status(id))?.state === "done";
      });
      assert.deepEqual(await app.cqrs.status(id), { command: "Raise", state: "done", result: { total: 5 } });
      assert.equal(await totalOf({ db }, name), 5);
      await app.stop();
      await doomed.close();
      return doomed;
    });
    assert.ok(crashed >= 2 * 4, String(crashed)); // begin, [lane], change, complete, commit
    await db.close();
  },
});
