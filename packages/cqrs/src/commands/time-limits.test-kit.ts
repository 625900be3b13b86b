// Contract tests for time limits of commands, for SQLite and PostgreSQL.
import assert from "node:assert/strict";
import { FrameworkError } from "@framework/core";
import { portContract, type PortContract } from "@framework/core/testing";
import type { TestDatabase } from "@framework/database/testing";
import { virtualClock } from "@framework/testing";
import fc from "fast-check";
import { z } from "zod";
import { Add, add, counterApp, failureOf, runStarted, totalOf } from "../counters.test-kit.ts";
import { command, type CommandContext } from "../index.ts";

const one = { name: "a", amount: 1 };
const timedOut = [504, "CQRS_TIMEOUT", "rolled-back"];

const summary = async (call: Promise<unknown>): Promise<unknown[]> => {
  const { status, code, extras } = await failureOf(call);
  return [status, code, extras?.["outcome"]];
};

export const timeLimits: PortContract<TestDatabase> = portContract<TestDatabase>("time limits", {
  "a handler that ignores its signal is rolled back at the time limit, and blocks nothing": async (
    storage,
  ) => {
    const clock = virtualClock();
    const app = counterApp(storage, { clock });
    const entered = Promise.withResolvers<void>();
    const end = Promise.withResolvers<{ total: number }>();
    let attempts = 0;
    app.cqrs.handle(Add, async ({ name, amount }, { tx }) => {
      const total = await add(tx, name, amount);
      if (++attempts > 1) return { total };
      entered.resolve();
      return await end.promise;
    });
    await runStarted(app, async () => {
      const call = summary(app.cqrs.execute(Add, one, { idempotencyKey: "k" }));
      await entered.promise;
      await clock.advance(4999);
      await clock.advance(1);
      assert.deepEqual(await call, timedOut);
      assert.equal(await totalOf(app, "a"), null);
      const again = await app.cqrs.execute(Add, one, { idempotencyKey: "k" });
      assert.deepEqual(again, { value: { total: 1 }, token: null, isReplay: false });
      end.resolve({ total: 9 }); // the app's stop waits for the handler
      assert.equal(await totalOf(app, "a"), 1);
    });
  },

  "statements of a handler after the time limit fail": async (storage) => {
    const clock = virtualClock();
    const app = counterApp(storage, { clock, commandTimeoutMs: 100 });
    const entered = Promise.withResolvers<void>();
    const afterLimit = Promise.withResolvers<void>();
    const codes = Promise.withResolvers<string>();
    app.cqrs.handle(Add, async ({ name, amount }, { tx, signal }) => {
      entered.resolve();
      await afterLimit.promise;
      assert.equal(signal.aborted, true);
      try {
        return { total: await add(tx, name, amount) };
      } catch (error) {
        codes.resolve(FrameworkError.is(error) ? error.code : String(error));
        throw error;
      }
    });
    await runStarted(app, async () => {
      const call = summary(app.cqrs.execute(Add, one));
      await entered.promise;
      await clock.advance(100);
      assert.deepEqual(await call, timedOut);
      afterLimit.resolve();
      assert.equal(await codes.promise, "CQRS_TIMEOUT");
      assert.equal(await totalOf(app, "a"), null);
    });
  },

  "a handler succeeds if and only if it ends before the time limit": async (storage) => {
    const clock = virtualClock();
    const Sleep = command("Sleep", { input: z.object({ name: z.string(), ms: z.number() }), timeoutMs: 20 });
    const app = counterApp(storage, { clock });
    let entered = (): void => {};
    app.cqrs.handle(Sleep, async ({ name, ms }, { tx }) => {
      await add(tx, name, 1);
      entered();
      await clock.sleep(ms);
    });
    let names = 0;
    await runStarted(app, () =>
      fc.assert(
        fc.asyncProperty(
          fc.integer({ min: 1, max: 40 }),
          fc.array(fc.integer({ min: 1, max: 15 })),
          async (ms, steps) => {
            const name = `n${++names}`;
            const hasEntered = new Promise<void>((resolve) => (entered = resolve));
            const call = app.cqrs.execute(Sleep, { name, ms }).then(
              () => "done",
              (error: { readonly outcome?: string }) => error.outcome,
            );
            await hasEntered;
            const until = clock.now() + Math.min(ms, 20);
            for (const step of [...steps, 20]) await clock.advance(Math.min(step, until - clock.now()));
            const outcome = await call;
            assert.deepEqual(
              [outcome, await totalOf(app, name)],
              ms < 20 ? ["done", 1] : ["rolled-back", null],
            );
            await clock.advance(40); // the app's stop waits for the handler
          },
        ),
        { numRuns: 20 },
      ),
    );
  },

  "after the event loop was blocked, the commit is refused even if no timer has fired": async (storage) => {
    const clock = virtualClock();
    let blockedMs = 0;
    const app = counterApp(storage, { clock: { ...clock, now: () => clock.now() + blockedMs } });
    app.cqrs.handle(Add, async ({ name, amount }, { tx }) => {
      const total = await add(tx, name, amount);
      blockedMs = 6000;
      return { total };
    });
    await runStarted(app, async () => {
      assert.deepEqual(await summary(app.cqrs.execute(Add, one)), timedOut);
      assert.equal(await totalOf(app, "a"), null);
    });
  },

  "waiting for a command with the same key counts towards the time limit": async (storage) => {
    const Wait = command("Wait", { input: z.enum(["first", "second"]), key: () => "lane" });
    const clock = virtualClock();
    const app = counterApp(storage, { clock, commandTimeoutMs: 1000 });
    const gate = Promise.withResolvers<void>();
    const entered = { first: Promise.withResolvers<void>(), second: Promise.withResolvers<void>() };
    app.cqrs.handle(Wait, async (name, { signal }) => {
      entered[name].resolve();
      await (name === "first" ? gate.promise : clock.sleep(600, signal));
    });
    await runStarted(app, async () => {
      const first = app.cqrs.execute(Wait, "first");
      await entered.first.promise;
      await clock.advance(500);
      const second = summary(app.cqrs.execute(Wait, "second"));
      await clock.advance(499);
      gate.resolve();
      await first;
      await entered.second.promise;
      await clock.advance(600);
      assert.deepEqual(await second, timedOut);
    });
  },

  "a call that waits for its key until the time limit never reaches the handler": async (storage) => {
    const Wait = command("Wait", { input: z.number(), key: () => "lane" });
    const clock = virtualClock();
    const app = counterApp(storage, { clock });
    const entered = Promise.withResolvers<void>();
    const seen: number[] = [];
    app.cqrs.handle(Wait, async (number, { signal }) => {
      seen.push(number);
      entered.resolve();
      if (number === 1) await clock.sleep(10_000, signal);
    });
    await runStarted(app, async () => {
      const first = summary(app.cqrs.execute(Wait, 1));
      const second = summary(app.cqrs.execute(Wait, 2));
      await entered.promise;
      await clock.advance(5000);
      assert.deepEqual([await first, await second], [timedOut, timedOut]);
      assert.deepEqual(seen, [1]);
      await app.cqrs.execute(Wait, 3);
      assert.deepEqual(seen, [1, 3]);
    });
  },

  "a statement that waits for another transaction is cancelled at the time limit": async (storage) => {
    const clock = virtualClock();
    const app = counterApp(storage, { clock });
    const entered = Promise.withResolvers<void>();
    app.cqrs.handle(Add, async ({ name, amount }, { tx }) => {
      entered.resolve();
      return { total: await add(tx, name, amount) };
    });
    await runStarted(app, async () => {
      await app.db.transaction(async (other) => {
        await add(other, "a", 1);
        const call = summary(app.cqrs.execute(Add, one));
        if (app.db.dialect === "postgres") await entered.promise; // on SQLite the call still waits for its transaction to begin
        await clock.advance(5000);
        assert.deepEqual(await call, timedOut);
      });
      assert.equal(await totalOf(app, "a"), 1);
    });
  },

  "the timeoutMs of a command takes precedence over commandTimeoutMs": async (storage) => {
    const clock = virtualClock();
    const Own = command("Own", { input: z.string(), timeoutMs: 50 });
    const app = counterApp(storage, { clock, commandTimeoutMs: 30 });
    const ended: string[] = [];
    const wait = (_input: unknown, { signal }: CommandContext): Promise<never> =>
      clock.sleep(1000, signal).then(() => assert.fail());
    app.cqrs.handle(Own, wait);
    app.cqrs.handle(Add, wait);
    app.cqrs.onError(({ operation, kind }) => void ended.push(`${operation.name} ${kind} ${clock.now()}`));
    await runStarted(app, async () => {
      const calls = [summary(app.cqrs.execute(Own, "a"))];
      await clock.advance(50);
      calls.push(summary(app.cqrs.execute(Add, one)));
      await clock.advance(30);
      assert.deepEqual(await Promise.all(calls), [timedOut, timedOut]);
      assert.deepEqual(ended, ["Own transient 50", "Add transient 80"]);
    });
  },
});
