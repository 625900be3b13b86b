// Contract tests for executing commands, for SQLite and PostgreSQL.
import assert from "node:assert/strict";
import { dependency, key, UnauthorizedError } from "@framework/core";
import { createInvocation } from "@framework/core/feature";
import { portContract, type PortContract } from "@framework/core/testing";
import type { TestDatabase } from "@framework/database/testing";
import { z } from "zod";
import { Add, add, counterApp, failureOf, runStarted, totalOf } from "../counters.test-kit.ts";
import { command, VersionConflictError } from "../index.ts";

const input = z.object({ name: z.string() });

export const executing: PortContract<TestDatabase> = portContract<TestDatabase>("executing", {
  "execute returns the output of the result schema after the commit": async (storage) => {
    const app = counterApp(storage);
    app.cqrs.handle(Add, async ({ name, amount }, { tx }) => ({
      total: await add(tx, name, amount),
      secret: 1,
    }));
    await runStarted(app, async () => {
      const result = await app.cqrs.execute(Add, { name: "a", amount: 2 });
      assert.deepEqual(result, { value: { total: 2 }, token: null, isReplay: false });
      assert.equal(await totalOf(app, "a"), 2);
    });
  },

  "a result that the schema declares optional may be absent, also of a call with an idempotency key": async (
    storage,
  ) => {
    const Find = command("Find", { input: z.string(), output: z.string().optional() });
    const app = counterApp(storage);
    app.cqrs.handle(Find, () => undefined);
    await runStarted(app, async () => {
      const first = { value: undefined, token: null, isReplay: false };
      assert.deepEqual(await app.cqrs.execute(Find, "a"), first);
      assert.deepEqual(await app.cqrs.execute(Find, "a", { idempotencyKey: "k" }), first);
      const again = await app.cqrs.execute(Find, "a", { idempotencyKey: "k" });
      assert.deepEqual(again, { ...first, isReplay: true });
    });
  },

  "the handler gets the output of the input schema": async (storage) => {
    const Parse = command("Parse", {
      input: z.object({
        day: z.iso.date().transform((text) => new Date(text)),
        times: z.number().default(3),
      }),
      output: z.string(),
    });
    const app = counterApp(storage);
    app.cqrs.handle(Parse, ({ day, times }) => `${day.getUTCFullYear()} ${times}`);
    await runStarted(app, async () => {
      assert.equal((await app.cqrs.execute(Parse, { day: "2026-01-02" })).value, "2026 3");
    });
  },

  "a command without a result schema returns undefined, even if its handler returns a value": async (
    storage,
  ) => {
    const Touch = command("Touch", { input });
    const app = counterApp(storage);
    app.cqrs.handle(Touch, () => "touched" as never);
    await runStarted(app, async () => {
      const result = await app.cqrs.execute(Touch, { name: "a" });
      assert.deepEqual(result, { value: undefined, token: null, isReplay: false });
    });
  },

  "an invalid input is refused with 422, and the handler is not called": async (storage) => {
    const app = counterApp(storage);
    app.cqrs.handle(Add, () => assert.fail("the handler was called"));
    await runStarted(app, async () => {
      const error = await failureOf(app.cqrs.execute(Add, { name: "", amount: 1.5 }));
      assert.equal(error.status, 422);
      const locations = (error as Error & { issues: { loc: unknown }[] }).issues.map(({ loc }) => loc);
      assert.deepEqual(locations, [
        ["input", "name"],
        ["input", "amount"],
      ]);
    });
  },

  "commands with the same key run one at a time, and commands with other keys concurrently": async (
    storage,
  ) => {
    const Slow = command("Slow", { input, key: ({ name }) => name });
    const Quick = command("Quick", { input, key: ({ name }) => name });
    const app = counterApp(storage);
    const events: string[] = [];
    const gate = Promise.withResolvers<void>();
    app.cqrs.handle(Slow, async ({ name }) => {
      events.push(`slow ${name} begins`);
      await gate.promise;
      events.push(`slow ${name} ends`);
    });
    app.cqrs.handle(Quick, ({ name }) => void events.push(`quick ${name}`));
    await runStarted(app, async () => {
      const slow = app.cqrs.execute(Slow, { name: "a" });
      const same = app.cqrs.execute(Quick, { name: "a" });
      if (app.db.dialect === "postgres") await app.cqrs.execute(Quick, { name: "b" }); // SQLite has one writer
      else gate.resolve();
      gate.resolve();
      await Promise.all([slow, same]);
      assert.deepEqual(
        events.filter((event) => event.includes(" a")),
        ["slow a begins", "slow a ends", "quick a"],
      );
    });
  },

  "commands with the same key run one at a time across two apps": async (storage) => {
    const Enter = command("Enter", { input, key: ({ name }) => name });
    const apps = [counterApp(storage), counterApp(storage)] as const;
    let concurrent = 0;
    let maxConcurrent = 0;
    for (const app of apps) {
      app.cqrs.handle(Enter, async (_input, { tx }) => {
        maxConcurrent = Math.max(maxConcurrent, ++concurrent);
        await tx.query("SELECT 1");
        await new Promise((resolve) => setImmediate(resolve));
        concurrent--;
      });
    }
    const [here, there] = apps;
    await runStarted(here, () =>
      runStarted(there, async () => {
        const call = (_: unknown, index: number) =>
          (index % 2 === 0 ? here : there).cqrs.execute(Enter, { name: "a" });
        await Promise.all(Array.from({ length: 20 }, call));
        assert.equal(maxConcurrent, 1);
      }),
    );
  },

  "guards get the principal and headers of the invocation in `from`, and skipGuards skips them": async (
    storage,
  ) => {
    const seen: unknown[] = [];
    const Guarded = command("Guarded", {
      input,
      guards: [
        (invocation) => {
          seen.push(invocation.kind, invocation.name, invocation.headers.get("x-shop"));
          if (invocation.context.get("user") !== "ann") throw new UnauthorizedError();
        },
      ],
    });
    const app = counterApp(storage);
    let calls = 0;
    app.cqrs.handle(Guarded, () => void calls++);
    const from = createInvocation({ kind: "job", name: "night", headers: { "x-shop": "7" } });
    from.context.set("user", "ann");
    await runStarted(app, async () => {
      assert.equal((await failureOf(app.cqrs.execute(Guarded, { name: "a" }))).status, 401);
      await app.cqrs.execute(Guarded, { name: "a" }, { from });
      assert.deepEqual(seen, ["command", "Guarded", null, "command", "Guarded", "7"]);
      await app.cqrs.execute(Guarded, { name: "a" }, { skipGuards: true });
      assert.equal(seen.length, 6);
      assert.equal(calls, 2);
    });
  },

  "guards refuse a caller before the input is validated": async (storage) => {
    const Guarded = command("Guarded", { input: z.number(), guards: [() => false] });
    const app = counterApp(storage);
    app.cqrs.handle(Guarded, () => {});
    await runStarted(app, async () => {
      assert.equal((await failureOf(app.cqrs.execute(Guarded, "no number" as never))).status, 403);
    });
  },

  "each attempt has separate dependencies, which get the context of the call": async (storage) => {
    const shop = key("shop", "none");
    let created = 0;
    let disposed = 0;
    const Ledger = dependency("ledger", {
      scope: "invocation",
      create: (_none, invocation) => `${++created} ${invocation.context.get(shop)}`,
      dispose: () => void disposed++,
    });
    const Write = command("Write", { input, output: z.string() });
    const app = counterApp(storage);
    app.cqrs.handle(Write, { inject: { ledger: Ledger } }, (_input, { attempt }, { ledger }) => {
      if (attempt === 1) throw new VersionConflictError();
      return ledger;
    });
    const from = createInvocation({ kind: "job", name: "night" });
    from.context.set(shop, "seven");
    await runStarted(app, async () => {
      assert.equal((await app.cqrs.execute(Write, { name: "a" }, { from })).value, "2 seven");
      assert.equal(disposed, 2);
    });
  },
});
