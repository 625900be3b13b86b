// Contract tests for routes that inject `RequestTransaction`, for SQLite and PostgreSQL.
import assert from "node:assert/strict";
import { App, dependency, HttpError, Response } from "@framework/core";
import type { ConfigInput, Feature } from "@framework/core/feature";
import { portContract, type PortContract } from "@framework/core/testing";
import { database, type DatabaseMethods, openDatabase, type Transaction } from "@framework/database";
import { crashAtEachStatement, faultingDatabase } from "@framework/database/testing";
import type { TestDatabase } from "@framework/database/testing";
import { durable, type DurableMethods } from "@framework/durable";
import { testClient, type TestClient } from "@framework/testing";
import { add, databaseOf, newLog, TABLE, totalOf } from "../counters.test-kit.ts";
import { cqrs, type CqrsConfig, type CqrsMethods, RequestTransaction } from "../index.ts";

type Bank = App & DatabaseMethods & DurableMethods & CqrsMethods;

/** A dependency that injects the transaction, for a route that does not inject it directly. */
const Accounts = dependency("accounts", {
  scope: "invocation",
  inject: { tx: RequestTransaction },
  create: ({ tx }) => ({ pay: (name: string, amount: number) => add(tx, name, amount) }),
});

/** Called by a handler after it has added 1 to the counter `a`. */
type Handle = (call: number, tx: Transaction) => unknown;

const bankOn = (
  source: Feature<DatabaseMethods>,
  url: string,
  handle: Handle = (call) => ({ call }),
  config: ConfigInput<CqrsConfig> = {},
): { readonly app: Bank; readonly calls: () => number } => {
  let calls = 0;
  const app: Bank = new (App.with(source, durable, cqrs))()
    .enableDatabase({ url, poolSize: 3 })
    .enableDurable({ leaseMs: 1000 })
    .enableCqrs(config);
  app.onEvent("startup", async () => void (await app.db.execute(TABLE)));
  app.post(
    "/payments",
    { idempotency: "optional", inject: { tx: RequestTransaction } },
    async (_request, { tx }) => {
      calls++;
      await add(tx, "a", 1);
      return await handle(calls, tx);
    },
  );
  app.post(
    "/transfers",
    { idempotency: "required", inject: { accounts: Accounts } },
    async (_request, { accounts }) => ({ total: await accounts.pay("b", 2) }),
  );
  app.put("/plain", { inject: { tx: RequestTransaction } }, async (_request, { tx }) => {
    await add(tx, "c", 1);
    return await handle(++calls, tx);
  });
  return { app, calls: () => calls };
};

const bank = ({ url }: TestDatabase, handle?: Handle, config?: ConfigInput<CqrsConfig>) =>
  bankOn(database, url, handle, config);

const pay = (client: TestClient, key: string | null, path = "/payments") =>
  client.post(path, key === null ? {} : { headers: { "idempotency-key": key } });

export const requestTransactions: PortContract<TestDatabase> = portContract<TestDatabase>(
  "request transactions",
  {
    "the changes of a handler, its key and its reply are one transaction": async (storage) => {
      const { app, calls } = bank(storage, (call) => Response.json({ call }, { status: 201 }));
      await using client = testClient(app);
      const first = await pay(client, "k");
      assert.deepEqual([first.status, first.headers.get("idempotent-replayed")], [201, null]);
      const second = await pay(client, "k");
      assert.deepEqual([second.status, second.text], [201, first.text]);
      assert.equal(second.headers.get("idempotent-replayed"), "true");
      assert.deepEqual([calls(), await totalOf(app, "a")], [1, 1]);
      await pay(client, "other");
      assert.equal(await totalOf(app, "a"), 2);
    },

    "a reply of 400 or more rolls back the changes; a final one is stored, and after any other the key can be used again":
      async (storage) => {
        const handlers: readonly Handle[] = [
          () => Promise.reject(new TypeError("bug")),
          () => Promise.reject(new HttpError(409, "Taken")),
          () => Response.json({}, { status: 402 }),
        ];
        const { app, calls } = bank(storage, (call, tx) => handlers[call - 1]?.(call, tx) ?? assert.fail());
        await using client = testClient(app);
        const statuses: number[] = [];
        for (let call = 0; call < 5; call++) statuses.push((await pay(client, "k")).status);
        assert.deepEqual(statuses, [500, 409, 402, 402, 402]);
        assert.deepEqual([calls(), await totalOf(app, "a")], [3, null]);
      },

    "a failed statement rolls back everything, even if the handler catches its error": async (storage) => {
      const { app } = bank(storage, async (_call, tx) => {
        await tx.execute("INSERT INTO missing VALUES (1)").catch(() => {});
        return "fine";
      });
      await using client = testClient(app);
      assert.equal((await pay(client, "k")).status, 500);
      assert.equal((await pay(client, null)).status, 500);
      assert.equal(await totalOf(app, "a"), null);
    },

    "a request without a key, or to a route without the option, also has a transaction": async (storage) => {
      let status = 200;
      const { app } = bank(storage, () => Response.json({}, { status }));
      await using client = testClient(app);
      assert.equal((await pay(client, null)).status, 200);
      assert.equal((await client.put("/plain")).status, 200);
      status = 404;
      assert.equal((await pay(client, null)).status, 404);
      assert.equal((await client.put("/plain")).status, 404);
      assert.deepEqual([await totalOf(app, "a"), await totalOf(app, "c")], [1, 1]);
    },

    "the transaction reaches a handler through another dependency": async (storage) => {
      const { app } = bank(storage);
      await using client = testClient(app);
      assert.equal((await pay(client, null, "/transfers")).status, 400);
      for (const replayed of [null, "true"]) {
        const reply = await pay(client, "k", "/transfers");
        assert.deepEqual(reply.json(), { total: 2 });
        assert.equal(reply.headers.get("idempotent-replayed"), replayed);
      }
      assert.equal(await totalOf(app, "b"), 2);
    },

    "a request with a key in use gets 409, and with the key of another request 422": async (storage) => {
      const gate = Promise.withResolvers<void>();
      const entered = Promise.withResolvers<void>();
      const handle: Handle = async (call) => {
        entered.resolve();
        await gate.promise;
        return { call };
      };
      const [here, there] = [bank(storage, handle), bank(storage, handle)];
      await using client = testClient(here.app);
      await using other = testClient(there.app);
      await client.get("/"); // both start, one after the other
      await other.get("/");
      const first = pay(client, "k");
      await entered.promise;
      const running = await pay(client, "k");
      assert.deepEqual([running.status, running.headers.get("retry-after")], [409, "1"]);
      const elsewhere = pay(other, "k");
      if (here.app.db.dialect === "postgres") assert.equal((await elsewhere).status, 409);
      gate.resolve();
      assert.equal((await first).status, 200);
      // A SQLite file has one writer at a time, so the other process waits and finds the reply.
      if (here.app.db.dialect === "sqlite")
        assert.equal((await elsewhere).headers.get("idempotent-replayed"), "true");
      assert.equal((await pay(client, "k", "/payments?for=tea")).status, 422);
      assert.equal(await totalOf(here.app, "a"), 1);
    },

    "a reply above maxStoredBytes is not stored, and its handler does not run again": async (storage) => {
      const { app, calls } = bank(storage, () => "x".repeat(1025), { maxStoredBytes: 1024 });
      await using client = testClient(app);
      assert.equal((await pay(client, "k")).text.length, 1025);
      const again = await pay(client, "k");
      assert.deepEqual([again.status, again.json<{ completed: boolean }>().completed], [409, true]);
      assert.deepEqual([calls(), await totalOf(app, "a")], [1, 1]);
    },

    "concurrent requests with one key in two processes make the change once": async (storage) => {
      const banks = [bank(storage), bank(storage)] as const;
      await using here = testClient(banks[0].app);
      await using there = testClient(banks[1].app);
      await here.get("/"); // both start, one after the other
      await there.get("/");
      for (let round = 1; round <= 5; round++) {
        const replies = await Promise.all(
          Array.from({ length: 8 }, (_, index) => pay(index % 2 === 0 ? here : there, `round-${round}`)),
        );
        for (const { status } of replies) assert.ok(status === 200 || status === 409, String(status));
        assert.ok(replies.some(({ status }) => status === 200));
        assert.equal(await totalOf(banks[0].app, "a"), round);
      }
    },

    "after a crash at any statement, the repeated request makes the change exactly once": async ({ url }) => {
      const db = openDatabase({ url, poolSize: 3 });
      const next = bankOn(databaseOf(db), url);
      await next.app.start({ log: newLog() });
      await using client = testClient(next.app);
      let round = 0;
      let replays = 0;
      const crashes = await crashAtEachStatement(async (crash) => {
        const key = `k-${++round}`;
        const faulty = faultingDatabase(db, crash);
        let isArmed = false;
        const own = new Proxy(db, {
          get: (target, name) => {
            const source = isArmed && name === "transaction" ? faulty : target;
            const value: unknown = Reflect.get(source, name);
            return typeof value === "function" ? value.bind(source) : value;
          },
        });
        const first = bankOn(databaseOf(own), url);
        await first.app.start({ log: newLog() });
        const firstClient = testClient(first.app);
        const before = (await totalOf({ db }, "a")) ?? 0;
        isArmed = true;
        const reply = await pay(firstClient, key);
        isArmed = false;
        await faulty.close();
        await firstClient[Symbol.asyncDispose]();
        const changes = ((await totalOf({ db }, "a")) ?? 0) - before;
        assert.ok(changes === 0 || changes === 1, `half a change: ${changes}`);
        if (reply.status === 200) assert.equal(changes, 1);
        else assert.equal(reply.status, 503);
        const again = await pay(client, key);
        assert.equal(again.status, 200);
        assert.equal(again.headers.get("idempotent-replayed") === "true", changes === 1);
        assert.equal(await totalOf({ db }, "a"), before + 1);
        if (changes === 1) replays++;
        return faulty;
      });
      assert.equal(crashes, 2 * 7); // begin, claim, savepoint, change, release, save, commit
      assert.equal(replays, 3); // a crash after the commit, and the two runs without a crash
      await next.app.stop();
      await db.close();
    },
  },
);
