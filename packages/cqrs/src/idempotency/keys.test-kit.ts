// Contract tests for idempotency keys of commands, for SQLite and PostgreSQL.
import assert from "node:assert/strict";
import { HttpError } from "@framework/core";
import { createInvocation } from "@framework/core/feature";
import { portContract, type PortContract } from "@framework/core/testing";
import type { TestDatabase } from "@framework/database/testing";
import { z } from "zod";
import {
  Add,
  add,
  counterApp,
  type CounterApp,
  failureOf,
  runStarted,
  totalOf,
} from "../counters.test-kit.ts";
import { canonicalJson } from "./canonical-json.ts";
import { fingerprintOf, keyId } from "./key-id.ts";
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

export const keys: PortContract<TestDatabase> = portContract<TestDatabase>("idempotency keys", {
  "a call with the same key and input returns the first result without running the handler": async (
    storage,
  ) => {
    const app = counterApp(storage);
    const handler = countedHandler(app);
    await runStarted(app, async () => {
      const first = await app.cqrs.execute(Add, one, withKey("k"));
      assert.deepEqual(first, { value: { total: 1 }, token: null, isReplay: false });
      const reordered = { amount: 1, name: "a" };
      const second = await app.cqrs.execute(Add, reordered, withKey("k"));
      assert.deepEqual(second, { value: { total: 1 }, token: null, isReplay: true });
      assert.equal(handler.calls(), 1);
      assert.equal((await app.cqrs.execute(Add, one, withKey("other"))).value.total, 2);
    });
  },

  "a call with the same key and a different input fails with 422": async (storage) => {
    const app = counterApp(storage);
    countedHandler(app);
    await runStarted(app, async () => {
      await app.cqrs.execute(Add, one, withKey("k"));
      const error = await failureOf(app.cqrs.execute(Add, { name: "a", amount: 2 }, withKey("k")));
      assert.deepEqual([error.status, error.code], [422, "CQRS_KEY_REUSED"]);
    });
  },

  "a call with a key in use fails with 409, even in another process": async (storage) => {
    const apps = [counterApp(storage), counterApp(storage)] as const;
    const gate = Promise.withResolvers<void>();
    const entered = Promise.withResolvers<void>();
    for (const app of apps) {
      app.cqrs.handle(Add, async ({ name, amount }, { tx }) => {
        entered.resolve();
        await gate.promise;
        return { total: await add(tx, name, amount) };
      });
    }
    const [here, there] = apps;
    await runStarted(here, () =>
      runStarted(there, async () => {
        const first = here.cqrs.execute(Add, one, withKey("k"));
        await entered.promise;
        const error = await failureOf(here.cqrs.execute(Add, one, withKey("k")));
        assert.deepEqual([error.status, error.code], [409, "CQRS_KEY_RUNNING"]);
        const elsewhere = there.cqrs.execute(Add, one, withKey("k"));
        if (there.db.dialect === "postgres")
          assert.equal((await failureOf(elsewhere)).code, "CQRS_KEY_RUNNING");
        gate.resolve();
        assert.equal((await first).isReplay, false);
        // A SQLite file has one writer at a time, so the other process waits and finds the result.
        if (there.db.dialect === "sqlite") assert.equal((await elsewhere).isReplay, true);
      }),
    );
  },

  "a call with a key in use is refused at once, without waiting for its lane": async (storage) => {
    const Slow = command("Slow", { input: z.string(), key: () => "lane" });
    const app = counterApp(storage);
    const gate = Promise.withResolvers<void>();
    app.cqrs.handle(Slow, () => gate.promise);
    await runStarted(app, async () => {
      const first = app.cqrs.execute(Slow, "a", withKey("k"));
      assert.equal((await failureOf(app.cqrs.execute(Slow, "a", withKey("k")))).code, "CQRS_KEY_RUNNING");
      gate.resolve();
      await first;
    });
  },

  "the key of a failed call can be used again": async (storage) => {
    const app = counterApp(storage);
    let calls = 0;
    app.cqrs.handle(Add, async ({ name, amount }, { tx }) => {
      const total = await add(tx, name, amount);
      if (++calls === 1) throw new HttpError(409, "The shelf is full");
      return { total };
    });
    await runStarted(app, async () => {
      assert.equal((await failureOf(app.cqrs.execute(Add, one, withKey("k")))).status, 409);
      assert.deepEqual(await app.cqrs.execute(Add, one, withKey("k")), {
        value: { total: 1 },
        token: null,
        isReplay: false,
      });
    });
  },

  "a missing required key, a malformed key, and a key of a command without idempotency fail with 400": async (
    storage,
  ) => {
    const Pay = command("Pay", { input: z.number(), idempotency: "required" });
    const Ping = command("Ping", { input: z.number(), idempotency: "none" });
    const app = counterApp(storage);
    app.cqrs.handle(Pay, () => assert.fail("the handler was called"));
    app.cqrs.handle(Ping, () => {});
    await runStarted(app, async () => {
      const codes = [];
      for (const options of [{}, withKey(""), withKey("two words"), withKey("ü"), withKey("x".repeat(256))])
        codes.push(
          await failureOf(app.cqrs.execute(Pay, 1, options)).then(({ status, code }) => [status, code]),
        );
      assert.deepEqual(codes, [
        [400, "CQRS_KEY_MISSING"],
        [400, "CQRS_BAD_KEY"],
        [400, "CQRS_BAD_KEY"],
        [400, "CQRS_BAD_KEY"],
        [400, "CQRS_BAD_KEY"],
      ]);
      const refused = await failureOf(app.cqrs.execute(Ping, 1, withKey("k")));
      assert.deepEqual([refused.status, refused.code], [400, "CQRS_BAD_KEY"]);
    });
  },

  "with a key, an input that JSON cannot represent is refused": async (storage) => {
    const Sum = command("Sum", { input: z.object({ amounts: z.set(z.number()) }), output: z.number() });
    const app = counterApp(storage);
    app.cqrs.handle(Sum, ({ amounts }) => amounts.size);
    await runStarted(app, async () => {
      const sum = (amounts: Set<number>, options = {}) => app.cqrs.execute(Sum, { amounts }, options);
      const refused = await failureOf(sum(new Set([1]), withKey("k")));
      assert.equal(refused.code, "CQRS_BAD_INPUT");
      assert.match(refused.message, /the input of command Sum loses a value: \$\.amounts is a Set/);
      assert.equal((await sum(new Set([1, 2]))).value, 2); // without a key, the input need not be JSON
    });
  },

  "a call that did not see the stored result of a concurrent one is rolled back": async (storage) => {
    const app = counterApp(storage);
    const { id } = keyId({ tenant: "", caller: "", operation: "Add", key: "k" });
    let other: (() => Promise<unknown>) | null = async () =>
      await app.db
        .execute`INSERT INTO framework_idempotency_keys (id, operation, fingerprint, state, status, headers, body, expires_at)
        VALUES (${id}, 'Add', ${fingerprintOf(canonicalJson(one, "it"))}, 'done', 200, '{}',
          ${new TextEncoder().encode('{"total":7}')}, ${app.durable.kernel.now} + 60000)`;
    app.cqrs.handle(Add, async ({ name, amount }, { tx }) => {
      const total = await add(tx, name, amount);
      await other?.();
      return { total };
    });
    await runStarted(app, async () => {
      if (app.db.dialect === "sqlite") other = (await other?.().then(() => null)) ?? null; // one writer at a time
      else {
        const refused = await failureOf(app.cqrs.execute(Add, one, withKey("k")));
        assert.deepEqual([refused.status, refused.code], [409, "CQRS_KEY_RUNNING"]);
      }
      const { value, isReplay } = await app.cqrs.execute(Add, one, withKey("k"));
      assert.deepEqual([value, isReplay, await totalOf(app, "a")], [{ total: 7 }, true, null]);
    });
  },

  "a key belongs to one caller, tenant and command": async (storage) => {
    const Take = command("Take", { input: z.object({ name: z.string(), amount: z.number() }) });
    const app = counterApp(storage);
    const handler = countedHandler(app);
    app.cqrs.handle(Take, () => {});
    const as = (user: unknown) => {
      const from = createInvocation({ kind: "job", name: "night" });
      from.context.set("user", user);
      return { from, idempotencyKey: "k" };
    };
    await runStarted(app, async () => {
      for (const options of [
        as("ann"),
        as("bob"),
        as({ id: 7 }),
        { ...as("ann"), tenant: "t" },
        withKey("k"),
      ])
        assert.equal((await app.cqrs.execute(Add, one, options)).isReplay, false);
      assert.equal((await app.cqrs.execute(Take, one, as("ann"))).isReplay, false);
      assert.equal(handler.calls(), 5);
      assert.equal((await app.cqrs.execute(Add, one, as({ id: 7, seen: "today" }))).isReplay, true);
      const unknown = await failureOf(app.cqrs.execute(Add, one, as({ name: "ann" })));
      assert.equal(unknown.code, "CQRS_UNKNOWN_CALLER");
    });
  },

  "callerOf and tenantOf determine the scope of a key": async (storage) => {
    const app = counterApp(storage, {
      callerOf: ({ headers }) => headers.get("x-device") ?? "none",
      tenantOf: ({ headers }) => headers.get("x-tenant"),
    });
    countedHandler(app);
    const via = (headers: Readonly<Record<string, string>>) => ({
      from: createInvocation({ kind: "job", name: "night", headers }),
      idempotencyKey: "k",
    });
    await runStarted(app, async () => {
      const isReplay = async (headers: Readonly<Record<string, string>>) =>
        (await app.cqrs.execute(Add, one, via(headers))).isReplay;
      const devices = [{ "x-device": "1" }, { "x-device": "2" }, { "x-device": "1", "x-tenant": "t" }];
      for (const headers of devices) assert.equal(await isReplay(headers), false);
      for (const headers of devices) assert.equal(await isReplay(headers), true);
    });
  },

  "if callerOf, tenantOf or key does not return a string, the call fails with CQRS_BAD_RETURN before the handler runs":
    async (storage) => {
      const wrong = [undefined, 5, { user: "ann" }, Promise.resolve("ann")];
      for (const value of wrong) {
        const given = () => value as never;
        const Keyed = command("Keyed", { input: z.string(), key: given });
        const queued = command("Queued", { input: z.string(), key: given, mode: "queued" });
        for (const config of [
          { callerOf: given },
          ...(value === undefined ? [] : [{ tenantOf: given }, {}]),
        ]) {
          const app = counterApp(storage, config);
          const handler = countedHandler(app);
          app.cqrs.handle(Keyed, async () => {}).handle(queued, async () => {});
          await runStarted(app, async () => {
            const isKey = Object.keys(config).length === 0;
            const calls = isKey
              ? [app.cqrs.execute(Keyed, "a"), app.cqrs.enqueue(queued, "a")]
              : [app.cqrs.execute(Add, one, withKey("k")), app.cqrs.execute(Add, one, withKey("k"))];
            for (const call of calls) {
              const { code, message } = await failureOf(call);
              assert.deepEqual([code, message.includes("must return a string")], ["CQRS_BAD_RETURN", true]);
            }
            assert.equal(handler.calls(), 0);
          });
        }
      }
    },

  "of concurrent calls with one key in two processes, exactly one commits": async (storage) => {
    const apps = [counterApp(storage), counterApp(storage)] as const;
    for (const app of apps) countedHandler(app);
    const [here, there] = apps;
    await runStarted(here, () =>
      runStarted(there, async () => {
        for (let round = 1; round <= 5; round++) {
          const call = async (_: unknown, index: number): Promise<unknown> => {
            const app = apps[index % 2] ?? here;
            const result = await app.cqrs
              .execute(Add, one, withKey(`round-${round}`))
              .catch((error: unknown) => error);
            return result instanceof HttpError ? result.code : result;
          };
          const results = await Promise.all(Array.from({ length: 8 }, call));
          const first = results.filter((result) => (result as { isReplay?: boolean }).isReplay === false);
          assert.equal(first.length, 1, JSON.stringify(results));
          const others = results.filter((result) => !first.includes(result));
          for (const other of others)
            assert.ok(
              other === "CQRS_KEY_RUNNING" || (other as { isReplay?: boolean }).isReplay === true,
              String(other),
            );
          // On PostgreSQL, further handlers may run, but their transactions are rolled back because another one has stored the key.
          assert.equal(await totalOf(here, "a"), round);
        }
      }),
    );
  },
});
