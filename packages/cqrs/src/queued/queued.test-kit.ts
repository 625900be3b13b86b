// Contract tests for queued commands, for SQLite and PostgreSQL.
import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import { HttpError, UnauthorizedError } from "@framework/core";
import { portContract, type PortContract } from "@framework/core/testing";
import { openDatabase } from "@framework/database";
import { crashAtEachStatement, faultingDatabase } from "@framework/database/testing";
import type { TestDatabase } from "@framework/database/testing";
import { testClient, waitFor } from "@framework/testing";
import { z } from "zod";
import {
  add,
  Add,
  counterApp,
  type CounterApp,
  counterAppOn,
  failureOf,
  newLog,
  runStarted,
  TABLE,
  totalOf,
} from "../counters.test-kit.ts";
import { command, type CommandStatus } from "../index.ts";

const Raise = command("Raise", {
  input: z.object({ name: z.string(), amount: z.number() }),
  output: z.object({ total: z.number() }),
  key: ({ name }) => name,
  mode: "queued",
  http: { path: "/counters/{name}/raises" },
});
const one = { name: "a", amount: 1 };

const withRaiseHandler = (app: CounterApp): CounterApp => {
  app.cqrs.handle(Raise, async ({ name, amount }, { tx }) => ({ total: await add(tx, name, amount) }));
  return app;
};

const untilFinished = (app: CounterApp, id: string): Promise<CommandStatus> =>
  waitFor(async () => {
    const status = await app.cqrs.status(id);
    return status !== null && status.state !== "waiting" && status.state !== "running" ? status : null;
  });

/** Makes the next attempt due at once. */
const makeDue = async ({ db }: Pick<CounterApp, "db">): Promise<void> =>
  void (await db.execute(
    "UPDATE framework_work SET state = 'ready', run_at = 0, wake_at = NULL WHERE state = 'waiting'",
  ));

export const queued: PortContract<TestDatabase> = portContract<TestDatabase>("queued commands", {
  "over HTTP, a command is accepted with 202, and its status URL returns the result": async (storage) => {
    const gate = Promise.withResolvers<void>();
    const app = counterApp(storage);
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

  "enqueue checks the guards, the schema and the idempotency key": async (storage) => {
    const Guarded = command("Guarded", {
      input: z.string(),
      mode: "queued",
      guards: [
        ({ context }) => {
          if (context.get("user") !== "ann") throw new UnauthorizedError();
        },
      ],
    });
    const app = withRaiseHandler(counterApp(storage));
    app.cqrs.handle(Guarded, () => {});
    await runStarted(app, async () => {
      assert.equal((await failureOf(app.cqrs.enqueue(Guarded, "a"))).status, 401);
      assert.equal((await failureOf(app.cqrs.enqueue(Raise, { name: "a" } as never))).status, 422);
      const first = await app.cqrs.enqueue(Raise, one, { idempotencyKey: "k" });
      assert.deepEqual(await app.cqrs.enqueue(Raise, one, { idempotencyKey: "k" }), {
        ...first,
        isReplay: true,
      });
      const reused = app.cqrs.enqueue(Raise, { name: "a", amount: 2 }, { idempotencyKey: "k" });
      assert.equal((await failureOf(reused)).status, 422);
      await untilFinished(app, first.id);
      assert.equal(await totalOf(app, "a"), 1);
    });
  },

  "the handler gets the caller and tenant of the call": async (storage) => {
    const Who = command("Who", { input: z.string(), output: z.string(), mode: "queued" });
    const app = counterApp(storage, { tenantOf: () => "t" });
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
    assert.equal((await untilFinished(app, id)).result, "ann t");
  },

  "a user with bigints is restored unchanged when the command runs": async (storage) => {
    const Who = command("Who", { input: z.string(), output: z.boolean(), mode: "queued" });
    const app = counterApp(storage);
    const user = { id: 2n ** 63n, teams: [{ id: -1n }], own: { "cqrs:bigint": "ann" } };
    app.cqrs.handle(Who, (_input, { invocation }) => isDeepStrictEqual(invocation.context.get("user"), user));
    app.post("/who", async (request) => {
      request.context.set("user", user);
      return await app.cqrs.enqueue(Who, "", { from: request });
    });
    await using client = testClient(app);
    const { id } = (await client.post("/who")).json<{ id: string }>();
    assert.equal((await untilFinished(app, id)).result, true);
  },

  "a rejection is an outcome, and is not retried": async (storage) => {
    const app = counterApp(storage);
    let calls = 0;
    app.cqrs.handle(Raise, async ({ name }, { tx }) => {
      calls++;
      await add(tx, name, 1);
      throw new HttpError(409, "The shelf is full", { shelf: 7 });
    });
    await runStarted(app, async () => {
      const { id } = await app.cqrs.enqueue(Raise, one);
      const failure = { status: 409, error: "Conflict", detail: "The shelf is full", shelf: 7 };
      assert.deepEqual(await untilFinished(app, id), { command: "Raise", state: "failed", failure });
      assert.deepEqual([calls, await totalOf(app, "a")], [1, null]);
    });
  },

  "a bug is retried, and its message is not in the status": async (storage) => {
    const app = counterApp(storage);
    let calls = 0;
    app.cqrs.handle(Raise, () => {
      calls++;
      throw new TypeError("password is undefined");
    });
    await runStarted(app, async () => {
      const { id } = await app.cqrs.enqueue(Raise, one);
      await waitFor(async () => {
        await makeDue(app);
        return (await app.cqrs.status(id))?.state === "failed";
      });
      const failure = { status: 500, error: "Internal Server Error", detail: "The command failed" };
      assert.deepEqual(await app.cqrs.status(id), { command: "Raise", state: "failed", failure });
      assert.equal(calls, 5);
    });
  },

  "commands with the same key run in the order in which they were added": async (storage) => {
    const app = counterApp(storage);
    const order: number[] = [];
    app.cqrs.handle(Raise, ({ amount }) => {
      order.push(amount);
      return { total: amount };
    });
    await runStarted(app, async () => {
      const ids: string[] = [];
      for (let amount = 1; amount <= 8; amount++)
        ids.push((await app.cqrs.enqueue(Raise, { name: "a", amount })).id);
      for (const id of ids) await untilFinished(app, id);
      assert.deepEqual(order, [1, 2, 3, 4, 5, 6, 7, 8]);
    });
  },

  "an input that JSON cannot represent is refused": async (storage) => {
    const Sum = command("Sum", { input: z.any(), mode: "queued" });
    const app = counterApp(storage);
    app.cqrs.handle(Sum, () => {});
    await runStarted(app, async () => {
      for (const input of [{ a: new Map() }, { a: 1n }, { a: Number.NaN }]) {
        const refused = await failureOf(app.cqrs.enqueue(Sum, input));
        assert.equal(refused.code, "CQRS_BAD_INPUT");
        assert.match(refused.message, /\$\.a is /);
      }
    });
  },

  "enqueue and status need a queued command, and execute accepts one": async (storage) => {
    const app = withRaiseHandler(counterApp(storage));
    app.cqrs.handle(Add, () => ({ total: 1 }));
    await runStarted(app, async () => {
      assert.equal((await failureOf(app.cqrs.enqueue(Add, one))).code, "CQRS_NOT_QUEUED");
      assert.deepEqual((await app.cqrs.execute(Raise, one)).value, { total: 1 }); // a queued command may be executed directly
    });
    const none = counterApp(storage);
    await runStarted(none, async () => {
      assert.equal((await failureOf(none.cqrs.status("1-x"))).code, "CQRS_NOT_QUEUED");
    });
  },

  "after a crash at any statement, a queued command takes effect exactly once": async ({ url }) => {
    const db = openDatabase({ url, poolSize: 3 });
    await db.execute(TABLE);
    let round = 0;
    const crashes = await crashAtEachStatement(async (crash) => {
      const name = `n${++round}`;
      const faulty = faultingDatabase(db, crash);
      let isArmed = false;
      let isEnqueuing = false;
      const own = Object.create(db, {
        transaction: {
          value: (run: never, options: { readonly retries?: number } = {}) => {
            const isOwn = options.retries === 0; // transactions of commands
            const isCommand = isOwn && isArmed && !isEnqueuing;
            if (isOwn && isEnqueuing) isEnqueuing = false;
            else if (isCommand) isArmed = false; // the next attempt succeeds, as in another process
            return (isCommand ? faulty : db).transaction(run, options);
          },
        },
      }) as typeof db;
      const app = withRaiseHandler(counterAppOn(own));
      await app.start({ log: newLog() });
      isArmed = true;
      isEnqueuing = true;
      const { id } = await app.cqrs.enqueue(Raise, { name, amount: 5 });
      await waitFor(async () => {
        await makeDue({ db });
        return (await app.cqrs.status(id))?.state === "done";
      });
      assert.deepEqual(await app.cqrs.status(id), { command: "Raise", state: "done", result: { total: 5 } });
      assert.equal(await totalOf({ db }, name), 5);
      await app.stop();
      await faulty.close();
      return faulty;
    });
    assert.ok(crashes >= 2 * 4, String(crashes)); // begin, [lane], change, complete, commit
    await db.close();
  },
});
