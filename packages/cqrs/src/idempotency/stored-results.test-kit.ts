// Contract tests for stored results of idempotency keys, for SQLite and PostgreSQL.
import assert from "node:assert/strict";
import { portContract, type PortContract } from "@framework/core/testing";
import type { TestDatabase } from "@framework/database/testing";
import { virtualClock, waitFor } from "@framework/testing";
import { z } from "zod";
import { Add, add, counterApp, type CounterApp, failureOf, runStarted } from "../counters.test-kit.ts";
import { command } from "../index.ts";

const one = { name: "a", amount: 1 };
const withKey = (idempotencyKey: string) => ({ idempotencyKey });

const countedHandler = (app: CounterApp): { readonly calls: () => number } => {
  let calls = 0;
  app.cqrs.handle(Add, async ({ name, amount }, { tx }) => {
    calls++;
    return { total: await add(tx, name, amount) };
  });
  return { calls: () => calls };
};

/** Makes all keys `secs` seconds older. */
const age = async ({ db }: CounterApp, secs: number): Promise<void> =>
  void (await db.execute`UPDATE framework_idempotency_keys SET expires_at = expires_at - ${secs * 1000}`);

export const storedResults: PortContract<TestDatabase> = portContract<TestDatabase>(
  "stored results of keys",
  {
    "a stored result is returned by a later process": async (storage) => {
      const first = counterApp(storage);
      countedHandler(first);
      await runStarted(first, async () => void (await first.cqrs.execute(Add, one, withKey("k"))));
      const second = counterApp(storage);
      const handler = countedHandler(second);
      await runStarted(second, async () => {
        assert.equal((await second.cqrs.execute(Add, one, withKey("k"))).isReplay, true);
        assert.equal(handler.calls(), 0);
      });
    },

    "after keepKeysSecs a key can be used again": async (storage) => {
      const app = counterApp(storage, { keepKeysSecs: 60 });
      countedHandler(app);
      await runStarted(app, async () => {
        await app.cqrs.execute(Add, one, withKey("k"));
        await age(app, 50);
        assert.equal((await app.cqrs.execute(Add, one, withKey("k"))).isReplay, true);
        await age(app, 11);
        const again = await app.cqrs.execute(Add, { name: "a", amount: 5 }, withKey("k"));
        assert.deepEqual(again, { value: { total: 6 }, token: null, isReplay: false });
        assert.equal((await app.cqrs.execute(Add, { name: "a", amount: 5 }, withKey("k"))).isReplay, true);
      });
    },

    "expired keys are removed once a minute": async (storage) => {
      const clock = virtualClock();
      const app = counterApp(storage, { clock });
      countedHandler(app);
      await runStarted(app, async () => {
        await app.cqrs.execute(Add, one, withKey("old"));
        await age(app, 90_000);
        await app.cqrs.execute(Add, one, withKey("new"));
        await clock.advance(60_000);
        const remaining = async () =>
          await app.db.fetchValue<number>`SELECT count(*) FROM framework_idempotency_keys`;
        await waitFor(async () => (await remaining()) === 1);
      });
    },

    "a result above maxStoredBytes is not stored, and its command is not executed again": async (storage) => {
      const Read = command("Read", { input: z.number(), output: z.string() });
      const app = counterApp(storage, { maxStoredBytes: 1024 });
      let calls = 0;
      app.cqrs.handle(Read, (length) => {
        calls++;
        return "x".repeat(length);
      });
      await runStarted(app, async () => {
        await app.cqrs.execute(Read, 1022, withKey("fits")); // plus two quotes in JSON
        assert.equal((await app.cqrs.execute(Read, 1022, withKey("fits"))).isReplay, true);
        await app.cqrs.execute(Read, 1023, withKey("large"));
        const error = await failureOf(app.cqrs.execute(Read, 1023, withKey("large")));
        assert.deepEqual([error.status, error.code], [409, "CQRS_RESULT_NOT_KEPT"]);
        assert.equal(error.extras?.["completed"], true);
        assert.equal(calls, 2);
      });
    },

    "the call of a command without a result is replayed": async (storage) => {
      const Touch = command("Touch", { input: z.string() });
      const app = counterApp(storage);
      let calls = 0;
      app.cqrs.handle(Touch, () => void calls++);
      await runStarted(app, async () => {
        await app.cqrs.execute(Touch, "a", withKey("k"));
        assert.deepEqual(await app.cqrs.execute(Touch, "a", withKey("k")), {
          value: undefined,
          token: null,
          isReplay: true,
        });
        assert.equal(calls, 1);
      });
    },
  },
);
