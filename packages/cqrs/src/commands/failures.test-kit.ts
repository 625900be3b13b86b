// Contract tests for commands that fail, for SQLite and PostgreSQL.
import assert from "node:assert/strict";
import { HttpError } from "@framework/core";
import { portContract, type PortContract } from "@framework/core/testing";
import type { TestDatabase } from "@framework/database/testing";
import { z } from "zod";
import { Add, add, counterApp, failureOf, newLog, runStarted, totalOf } from "../counters.test-kit.ts";
import { command, type CommandContext, type OperationFailure, VersionConflictError } from "../index.ts";

/** Adds 1. Its handler throws a conflict in the first `conflicts` attempts. */
const Increment = command("Increment", {
  input: z.object({ name: z.string(), conflicts: z.number() }),
  output: z.object({ total: z.number(), attempt: z.number() }),
});

export const failures: PortContract<TestDatabase> = portContract<TestDatabase>("failures", {
  "a rejection rolls the command back and reaches the caller unchanged": async (storage) => {
    const rejection = new HttpError(409, "The shelf is full");
    const app = counterApp(storage);
    let calls = 0;
    app.cqrs.handle(Add, async ({ name }, { tx }) => {
      calls++;
      await add(tx, name, 1);
      throw rejection;
    });
    await runStarted(app, async () => {
      assert.equal(await failureOf(app.cqrs.execute(Add, { name: "a", amount: 1 })), rejection);
      assert.equal(await totalOf(app, "a"), null);
      assert.equal(calls, 1); // not retried
    });
  },

  "a call that its caller aborts is a transient failure, not a bug": async (storage) => {
    const app = counterApp(storage);
    const kinds: string[] = [];
    app.cqrs.onError(({ kind }) => void kinds.push(kind));
    let entered = (): void => {};
    app.cqrs.handle(Add, async () => {
      entered();
      return await new Promise(() => {});
    });
    const log = newLog();
    await runStarted(
      app,
      async () => {
        const domErrors = ["AbortError", "TimeoutError"].map(
          (name) => new DOMException("the caller left", name),
        );
        for (const reason of [...domErrors, new Error("the caller left")]) {
          const caller = new AbortController();
          const hasEntered = new Promise<void>((resolve) => (entered = resolve));
          const call = failureOf(
            app.cqrs.execute(Add, { name: "a", amount: 1 }, { signal: caller.signal, skipGuards: true }),
          );
          await hasEntered;
          caller.abort(reason);
          assert.equal(await call, reason);
        }
      },
      log,
    );
    assert.deepEqual(kinds, ["transient", "transient", "transient"]);
    const lines = log.lines.filter(({ message }) => message.startsWith("cqrs:"));
    assert.deepEqual(
      lines.filter(({ level }) => level === "error"),
      [],
    );
  },

  "a command whose result JSON cannot represent is rolled back, unless its results are never stored": async (
    storage,
  ) => {
    const options = { input: z.string(), output: z.any() } as const;
    const Tags = command("Tags", options);
    const Own = command("Own", { ...options, idempotency: "none" });
    const app = counterApp(storage);
    const tags = { a: [new Set(["x"])] };
    const handler = async (name: string, { tx }: CommandContext) => {
      await add(tx, name, 1);
      return tags;
    };
    app.cqrs.handle(Tags, handler).handle(Own, handler);
    await runStarted(app, async () => {
      const error = await failureOf(app.cqrs.execute(Tags, "a"));
      assert.equal(error.code, "CQRS_BAD_OUTPUT");
      assert.match(error.message, /the result of command Tags loses a value: \$\.a\[0\] is a Set/);
      assert.equal(await totalOf(app, "a"), null);
      assert.deepEqual((await app.cqrs.execute(Own, "a")).value, tags);
    });
  },

  "a command whose result does not match its schema is rolled back": async (storage) => {
    const app = counterApp(storage);
    app.cqrs.handle(Add, async ({ name }, { tx }) => ({ total: `${await add(tx, name, 1)}` as never }));
    await runStarted(app, async () => {
      const error = await failureOf(app.cqrs.execute(Add, { name: "a", amount: 1 }));
      assert.equal(error.code, "CQRS_BAD_OUTPUT");
      assert.match(error.message, /the handler of command Add returned an invalid value: total: /);
      assert.equal(await totalOf(app, "a"), null);
    });
  },

  "after a conflict, the handler is retried in a new transaction with fresh state": async (storage) => {
    const app = counterApp(storage, { maxRetries: 3 });
    app.cqrs.handle(Increment, async ({ name, conflicts }, { tx, attempt }) => {
      const total = await add(tx, name, 1);
      if (attempt <= conflicts) throw new VersionConflictError();
      return { total, attempt };
    });
    await runStarted(app, async () => {
      const { value } = await app.cqrs.execute(Increment, { name: "a", conflicts: 3 });
      assert.deepEqual(value, { total: 1, attempt: 4 });
      const error = await failureOf(app.cqrs.execute(Increment, { name: "a", conflicts: 4 }));
      assert.deepEqual([error.status, error.code], [409, "CQRS_CONFLICT"]);
      assert.equal(await totalOf(app, "a"), 1);
    });
  },

  "each attempt gets the validated input, even if an earlier one has mutated it": async (storage) => {
    const Import = command("Import", {
      input: z.object({ items: z.array(z.string()), extra: z.any() }),
      output: z.array(z.string()),
    });
    const app = counterApp(storage);
    app.cqrs.handle(Import, ({ items, extra }, { attempt }) => {
      const taken = [...items.splice(0), ...(extra as string[]).splice(0)];
      if (attempt < 3) throw new VersionConflictError("changed meanwhile");
      return taken;
    });
    await runStarted(app, async () => {
      const { value } = await app.cqrs.execute(Import, { items: ["a", "b"], extra: ["c"] });
      assert.deepEqual(value, ["a", "b", "c"]);
    });
  },

  "maxRetries limits the attempts": async (storage) => {
    const app = counterApp(storage, { maxRetries: 0 });
    let attempts = 0;
    app.cqrs.handle(Increment, () => {
      attempts++;
      throw new VersionConflictError();
    });
    await runStarted(app, async () => {
      await failureOf(app.cqrs.execute(Increment, { name: "a", conflicts: 9 }));
      assert.equal(attempts, 1);
    });
  },

  "every kind of failure reaches every observer, and an observer's own error is only logged": async (
    storage,
  ) => {
    const Fail = command("Fail", { input: z.enum(["rejection", "conflict", "transient", "bug"]) });
    const errors = {
      rejection: () => new HttpError(404, "No such book"),
      conflict: () => new VersionConflictError(),
      transient: () => new HttpError(503, "Later"),
      bug: () => new TypeError("undefined is not a function"),
    };
    const log = newLog();
    const app = counterApp(storage, { maxRetries: 1 });
    app.cqrs.handle(Fail, (kind) => {
      throw errors[kind]();
    });
    const seen: string[] = [];
    const observe = ({ kind, error, operation, attempts }: OperationFailure): void =>
      void seen.push(`${kind} ${operation.name} ${attempts} ${error.message}`);
    app.cqrs.onError(() => {
      throw new Error("the observer is broken");
    });
    app.cqrs.onError(() => Promise.reject(new Error("the observer is broken later")));
    const unsubscribe = app.cqrs.onError(observe);
    const run = async () => {
      for (const kind of ["rejection", "conflict", "transient", "bug"] as const) {
        const error = await failureOf(app.cqrs.execute(Fail, kind));
        assert.equal(error.message, errors[kind]().message);
      }
      assert.deepEqual(seen, [
        "rejection Fail 1 No such book",
        "conflict Fail 2 The data was changed meanwhile",
        "transient Fail 1 Later",
        "bug Fail 1 undefined is not a function",
      ]);
      unsubscribe();
      await failureOf(app.cqrs.execute(Fail, "bug"));
      assert.equal(seen.length, 4);
      const broken = log.lines.filter(({ message }) => message === "cqrs: an observer of onError failed");
      assert.equal(broken.length, 10);
      const bugs = log.lines.filter(({ message }) =>
        message.startsWith("cqrs: command Fail failed: undefined"),
      );
      assert.deepEqual(
        bugs.map(({ level }) => level),
        ["error", "error"],
      );
      assert.equal(
        log.lines.some(({ message }) => message.includes("No such book")),
        false,
      );
    };
    await runStarted(app, run, log);
  },

  "a handler that throws a value that is not an Error fails only its call": async (storage) => {
    const app = counterApp(storage);
    app.cqrs.handle(Add, () => {
      throw null as unknown as Error;
    });
    await runStarted(app, async () => {
      const error = await failureOf(app.cqrs.execute(Add, { name: "a", amount: 1 }));
      assert.match(error.message, /a value that is not an Error was thrown/);
    });
  },

  "an unawaited failed call does not end the process": async (storage) => {
    const app = counterApp(storage);
    app.cqrs.handle(Add, () => Promise.reject(new Error("lost")));
    await runStarted(app, async () => {
      void app.cqrs.execute(Add, { name: "a", amount: 1 });
      await failureOf(app.cqrs.execute(Add, { name: "a", amount: 1 }));
    });
  },

  "an abort by the caller rolls the command back": async (storage) => {
    const app = counterApp(storage);
    const caller = new AbortController();
    app.cqrs.handle(Add, async ({ name }, { tx, signal }) => {
      await add(tx, name, 1);
      caller.abort(new Error("the caller aborted"));
      assert.equal(signal.aborted, true);
      return { total: 1 };
    });
    await runStarted(app, async () => {
      const { signal } = caller;
      const error = await failureOf(app.cqrs.execute(Add, { name: "a", amount: 1 }, { signal }));
      assert.equal(error.message, "the caller aborted");
      assert.equal(await totalOf(app, "a"), null);
      await failureOf(app.cqrs.execute(Add, { name: "a", amount: 1 }, { signal })); // aborted before the call
    });
  },
});
