// Contract tests for keys of routes whose handlers run long or crash, for SQLite and PostgreSQL.
import assert from "node:assert/strict";
import { HttpError, Response } from "@framework/core";
import { portContract, type PortContract } from "@framework/core/testing";
import { testClient, waitFor } from "@framework/testing";
import { App } from "@framework/core";
import { openDatabase } from "@framework/database";
import { crashAtEachStatement, faultingDatabase } from "@framework/database/testing";
import type { TestDatabase } from "@framework/database/testing";
import { durable } from "@framework/durable";
import { databaseOf, type Lines, newLog } from "../counters.test-kit.ts";
import { cqrs } from "../index.ts";
import { newShop, order, shopAt } from "./keyed-shop.test-kit.ts";

export const heldRouteKeys: PortContract<TestDatabase> = portContract<TestDatabase>("held keys of routes", {
  "the lease of a key is renewed while its handler runs": async (storage) => {
    const gate = Promise.withResolvers<void>();
    const entered = Promise.withResolvers<void>();
    const shop = newShop(shopAt(storage), async (call) => {
      entered.resolve();
      await gate.promise;
      return { order: call };
    });
    await using client = testClient(shop.app);
    const leaseUntil = async () =>
      (await shop.app.db.fetchValue<number>`SELECT lease_until FROM framework_idempotency_keys`) ?? 0;
    const first = order(client, "k");
    await entered.promise;
    const before = await leaseUntil();
    await waitFor(async () => (await leaseUntil()) > before);
    gate.resolve();
    await first;
    assert.deepEqual((await order(client, "k")).json(), { order: 1 });
  },

  "a process does not take over a key of its own handler, even if the lease seems to have expired": async (
    storage,
  ) => {
    const gate = Promise.withResolvers<void>();
    const entered = Promise.withResolvers<void>();
    const log: Lines = newLog();
    const shop = newShop(shopAt(storage), async (call) => {
      entered.resolve();
      await gate.promise;
      return { order: call };
    });
    await shop.app.start({ log });
    await using client = testClient(shop.app);
    const first = order(client, "k");
    await entered.promise;
    await shop.app.db.execute`UPDATE framework_idempotency_keys SET lease_until = 0`;
    const second = await Promise.race([order(client, "k"), first]);
    assert.equal(second.status, 409, second.text);
    gate.resolve();
    assert.deepEqual((await first).json(), { order: 1 });
    assert.deepEqual((await order(client, "k")).json(), { order: 1 });
    assert.equal(shop.calls(), 1);
    assert.deepEqual(log.lines, []);
  },

  "a handler that continues after its time limit holds its key until it ends, and its result is stored":
    async (storage) => {
      const ends: PromiseWithResolvers<unknown>[] = [];
      const app = shopAt(storage);
      app.post("/slow", { idempotency: "required", timeoutSecs: 0.02 } as never, () => {
        const end = Promise.withResolvers<unknown>();
        ends.push(end);
        return end.promise;
      });
      await using client = testClient(app);
      const pay = (key: string) => client.post("/slow", { headers: { "idempotency-key": key } });
      const payAndEnd = async (key: string, end: (handler: PromiseWithResolvers<unknown>) => void) => {
        assert.equal((await pay(key)).status, 504);
        assert.equal((await pay(key)).status, 409);
        end(ends.at(-1) ?? assert.fail());
      };
      const finalReplyOf = async (key: string, status: number) => {
        const reply = await waitFor(async () => {
          const attempt = await pay(key);
          return attempt.status !== 409 && attempt;
        });
        assert.equal(reply.status, status);
        return reply;
      };
      await payAndEnd("ok", ({ resolve }) => resolve({ paid: 1 }));
      const again = await finalReplyOf("ok", 200);
      assert.deepEqual([again.headers.get("idempotent-replayed"), again.json()], ["true", { paid: 1 }]);
      await payAndEnd("missing", ({ reject }) => reject(new HttpError(404, "No such book")));
      assert.equal((await finalReplyOf("missing", 404)).headers.get("idempotent-replayed"), "true");
      assert.equal(ends.length, 2);
      await payAndEnd("failed", ({ reject }) => reject(new HttpError(503, "Later")));
      await finalReplyOf("failed", 504);
      assert.equal(ends.length, 4);
      for (const { resolve } of ends) resolve(null);
    },

  "the body stream of a late reply is cancelled": async (storage) => {
    const end = Promise.withResolvers<void>();
    const cancelled = Promise.withResolvers<void>();
    const app = shopAt(storage);
    app.post("/slow", { idempotency: "required", timeoutSecs: 0.02 } as never, async () => {
      await end.promise;
      return Response.stream(new ReadableStream<Uint8Array>({ cancel: () => cancelled.resolve() }));
    });
    await using client = testClient(app);
    const send = () => client.post("/slow", { headers: { "idempotency-key": "k" } });
    assert.equal((await send()).status, 504);
    end.resolve();
    await cancelled.promise;
    const again = await send();
    assert.deepEqual([again.status, again.json<{ completed: boolean }>().completed], [409, true]);
  },

  "the key of a dead holder is taken over, and a late result of that holder is refused": async (storage) => {
    const gate = Promise.withResolvers<void>();
    const entered = Promise.withResolvers<void>();
    const log: Lines = newLog();
    const stale = newShop(shopAt(storage), async () => {
      entered.resolve();
      await gate.promise;
      return { order: "stale" };
    });
    const next = newShop(shopAt(storage));
    await using there = testClient(next.app);
    await stale.app.start({ log });
    const request = new Request("http://test.local/orders", {
      method: "POST",
      body: JSON.stringify({ book: "Emma" }),
      headers: { "content-type": "application/json", "idempotency-key": "k" },
    });
    const first = stale.app.fetch(request);
    await entered.promise;
    // Simulates the death of the first process: its lease has expired, and it cannot renew a row of another owner.
    await order(there, "warm");
    await next.app.db
      .execute`UPDATE framework_idempotency_keys SET lease_until = 0, owner = 'gone' WHERE state = 'running'`;
    assert.deepEqual((await order(there, "k")).json(), { order: 2 });
    gate.resolve();
    assert.equal(await (await first).text(), JSON.stringify({ order: "stale" }));
    assert.ok(log.lines.some(({ message }) => message.includes("has another holder")));
    assert.deepEqual((await order(there, "k")).json(), { order: 2 });
    await stale.app.stop();
  },

  "after a crash at any statement, the request can be repeated until its reply is stored": async ({
    url,
  }) => {
    const db = openDatabase({ url, poolSize: 3 });
    const on = (own: typeof db): ReturnType<typeof newShop> =>
      newShop(new (App.with(databaseOf(own), durable, cqrs))().enableDatabase().enableCqrs());
    const next = on(db);
    await next.app.start({ log: newLog() });
    await using client = testClient(next.app);
    let round = 0;
    const crashes = await crashAtEachStatement(async (crash) => {
      const key = `k-${++round}`;
      const faulty = faultingDatabase(db, crash);
      let isArmed = false;
      const own = new Proxy(db, {
        get: (target, name) => {
          const source = isArmed && (name === "fetchValue" || name === "execute") ? faulty : target;
          const value: unknown = Reflect.get(source, name);
          return typeof value === "function" ? value.bind(source) : value;
        },
      });
      const first = on(own);
      await first.app.start({ log: newLog() });
      const firstClient = testClient(first.app);
      await order(firstClient, `warm-${round}`); // registers the process as an owner of leases
      isArmed = true;
      const reply = await order(firstClient, key);
      isArmed = false;
      await faulty.close();
      await firstClient[Symbol.asyncDispose]();
      const hasRun = first.calls() === 2;
      assert.ok(reply.status === (hasRun ? 201 : 503), String(reply.status));
      await db.execute`UPDATE framework_idempotency_keys SET lease_until = 0 WHERE state = 'running'`;
      const again = await order(client, key);
      assert.equal(again.status, 201);
      assert.equal((await order(client, key)).text, again.text);
      return faulty;
    });
    assert.equal(crashes, 2 * 2); // claim, complete
    await next.app.stop();
    await db.close();
  },
});
