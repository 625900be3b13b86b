// Contract tests for stored results of idempotency keys, for both kinds of database.
import assert from "node:assert/strict";
import { portContract, type PortContract } from "@framework/core/testing";
import type { TestDatabase } from "@framework/database/testing";
import { virtualClock, waitFor } from "@framework/testing";
import { z } from "zod";
import { Add, add, counterApp, type CounterApp, failureOf, runStarted } from "../counters.test-kit.ts";
import { command } from "../index.ts";

const one = { name: "a", amount: 1 };
const keyed = (idempotencyKey: string) => ({ idempotencyKey });

const adding = (app: CounterApp): { readonly calls: () => number } => {
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
      adding(first);
      await runStarted(first, async () => void (await first.cqrs.execute(Add, one, keyed("k"))));
      const second = counterApp(storage);
      const handler = adding(second);
      await runStarted(second, async () => {
        assert.equal((await second.cqrs.execute(Add, one, keyed("k"))).isReplay, true);
        assert.equal(handler.calls(), 0);
      });
    },

    "after keepKeysSecs a key can be used again": async (storage) => {
      const app = counterApp(storage, { keepKeysSecs: 60 });
      adding(app);
      await runStarted(app, async () => {
        await app.cqrs.execute(Add, one, keyed("k"));
        await age(app, 50);
        assert.equal((await app.cqrs.execute(Add, one, keyed("k"))).isReplay, true);
        await age(app, 11);
        const again = await app.cqrs.execute(Add, { name: "a", amount: 5 }, keyed("k"));
        assert.deepEqual(again, { value: { total: 6 }, token: null, isReplay: false });
        assert.equal((await app.cqrs.execute(Add, { name: "a", amount: 5 }, keyed("k"))).isReplay, true);
      });
    },

    "expired keys are removed once a minute": async (storage) => {
      const clock = virtualClock();
      const app = counterApp(storage, { clock });
      adding(app);
      await runStarted(app, async () => {
        await app.cqrs.execute(Add, one, keyed("old"));
        await age(app, 90_000);
        await app.cqrs.execute(Add, one, keyed("new"));
        await clock.advance(60_000);
        const left = async () =>
          await app.db.fetchValue<number>`SELECT count(*) FROM framework_idempotency_keys`;
        await waitFor(async () => (await left()) === 1);
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
        await app.cqrs.execute(Read, 1022, keyed("fits")); // plus two quotes in JSON
        assert.equal((await app.cqrs.execute(Read, 1022, keyed("fits"))).isReplay, true);
        await app.cqrs.execute(Read, 1023, keyed("large"));
        const error = await failureOf(app.cqrs.execute(Read, 1023, keyed("large")));
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
        await app.cqrs.execute(Touch, "a", keyed("k"));
        assert.deepEqual(await app.cqrs.execute(Touch, "a", keyed("k")), {
          value: undefined,
          token: null,
          isReplay: true,
        });
        assert.equal(calls, 1);
      });
    },
  },
);
