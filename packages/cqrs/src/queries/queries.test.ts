import { HttpError } from "@framework/core";
import { databaseInFile } from "@framework/database/testing";
import { virtualClock, waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { z } from "zod";
import { counterApp, failureOf, runStarted } from "../counters.test-kit.ts";
import { query } from "../index.ts";
import { gatedApp, Read, Touch } from "./gated-app.test-kit.ts";

const input = z.object({ name: z.string() });

test("a query validates its input and returns the output of its schema", async () => {
  await using storage = databaseInFile();
  const app = counterApp(storage);
  const Twice = query("Twice", { input: z.number().default(4), output: z.object({ twice: z.number() }) });
  app.cqrs.handle(Twice, async (number, { db }) => ({
    twice: (await db.fetchValue<number>`SELECT ${number} * 2`) ?? 0,
    secret: true,
  }));
  await runStarted(app, async () => {
    expect(await app.cqrs.query(Twice, 3)).toEqual({ twice: 6 });
    expect(await app.cqrs.query(Twice, undefined)).toEqual({ twice: 8 });
    expect(await failureOf(app.cqrs.query(Twice, "3" as never))).toMatchObject({ status: 422 });
  });
});

test("concurrent calls with equal input share one run of the handler", async () => {
  await using service = await gatedApp();
  const { app, calls } = service;
  const first = app.cqrs.query(Read, { name: "a" });
  const second = app.cqrs.query(Read, { name: "a" });
  const other = app.cqrs.query(Read, { name: "b" });
  await waitFor(() => calls.length === 2);
  calls[0]?.finish("one");
  calls[1]?.finish("two");
  expect(await Promise.all([first, second, other])).toEqual(["one", "one", "two"]);
  const later = app.cqrs.query(Read, { name: "a" });
  await waitFor(() => calls.length === 3);
  calls[2]?.finish("three");
  expect(await later).toBe("three");
});

test("calls with an input that JSON cannot represent do not share a run", async () => {
  await using storage = databaseInFile();
  const app = counterApp(storage);
  const Count = query("Count", { input: z.object({ names: z.set(z.string()) }), output: z.number() });
  const entered = Promise.withResolvers<void>();
  let calls = 0;
  app.cqrs.handle(Count, async ({ names }) => {
    if (++calls === 2) entered.resolve();
    await entered.promise;
    return names.size;
  });
  await runStarted(app, async () => {
    const sizes = [new Set(["a"]), new Set(["a", "b"])].map((names) => app.cqrs.query(Count, { names }));
    expect(await Promise.all(sizes)).toEqual([1, 2]);
  });
});

test("the handler is not called for a call that was aborted before", async () => {
  await using service = await gatedApp();
  const { app, calls } = service;
  const signal = AbortSignal.abort(new Error("the caller left"));
  expect((await failureOf(app.cqrs.query(Read, { name: "a" }, { signal })))?.message).toBe("the caller left");
  expect(calls).toEqual([]);
});

test("with coalesce: false, each call has a separate run", async () => {
  await using storage = databaseInFile();
  const Own = query("Own", { input, output: z.number(), coalesce: false });
  const app = counterApp(storage);
  let runs = 0;
  app.cqrs.handle(Own, async () => ++runs);
  await runStarted(app, async () => {
    const all = [1, 2, 3].map(() => app.cqrs.query(Own, { name: "a" }));
    expect(await Promise.all(all)).toEqual([1, 2, 3]);
  });
});

test("a call does not join a run that started before a command of this process was committed", async () => {
  await using service = await gatedApp();
  const { app, calls } = service;
  const before = app.cqrs.query(Read, { name: "a" });
  await waitFor(() => calls.length === 1);
  await app.cqrs.execute(Touch, { name: "a" });
  const after = app.cqrs.query(Read, { name: "a" });
  await waitFor(() => calls.length === 2);
  calls[0]?.finish("old");
  calls[1]?.finish("new");
  expect(await Promise.all([before, after])).toEqual(["old", "new"]);
});

test("a shared run is aborted when no call waits for it any more", async () => {
  await using service = await gatedApp();
  const { app, calls } = service;
  const callers = [new AbortController(), new AbortController()];
  const all = callers.map(({ signal }) => failureOf(app.cqrs.query(Read, { name: "a" }, { signal })));
  await waitFor(() => calls.length === 1);
  callers[0]?.abort(new Error("the first aborted"));
  expect((await all[0])?.message).toBe("the first aborted");
  expect(calls[0]?.context.signal.aborted).toBe(false);
  callers[1]?.abort(new Error("the second aborted"));
  expect((await all[1])?.message).toBe("the second aborted");
  expect(calls[0]?.context.signal.aborted).toBe(true);
  const fresh = app.cqrs.query(Read, { name: "a" });
  await waitFor(() => calls.length === 2);
  calls[1]?.finish("fresh");
  expect(await fresh).toBe("fresh");
});

test("a call ends at queryTimeoutMs, and does not join a run that is older than its timeoutMs", async () => {
  const clock = virtualClock();
  await using service = await gatedApp({ clock, queryTimeoutMs: 1000 });
  const { app, calls } = service;
  const read = async () =>
    await app.cqrs.query(Read, { name: "a" }).catch(({ status, code }) => [status, code, clock.now()]);
  const first = read();
  await waitFor(() => calls.length === 1);
  await clock.advance(600);
  const second = read();
  await clock.advance(400);
  expect(await first).toEqual([504, "CQRS_TIMEOUT", 1000]);
  expect(calls[0]?.context.signal.aborted).toBe(false); // the second call still waits for it
  const third = read();
  await waitFor(() => calls.length === 2);
  calls[1]?.finish("third");
  expect(await third).toBe("third");
  await clock.advance(600);
  expect(await second).toEqual([504, "CQRS_TIMEOUT", 1600]);
  expect(calls[0]?.context.signal.aborted).toBe(true);
});

test("the timeoutMs of a query takes precedence over queryTimeoutMs, and later statements of its handler fail", async () => {
  await using storage = databaseInFile();
  const clock = virtualClock();
  const Slow = query("Slow", { input, output: z.number(), timeoutMs: 50 });
  const app = counterApp(storage, { clock });
  const entered = Promise.withResolvers<void>();
  const late = Promise.withResolvers<Error>();
  app.cqrs.handle(Slow, async (_input, { db, signal }) => {
    entered.resolve();
    await clock.sleep(1000, signal).catch(() => {});
    late.resolve(await failureOf(db.query("SELECT 1")));
    return 1;
  });
  await runStarted(app, async () => {
    const call = failureOf(app.cqrs.query(Slow, { name: "a" }));
    await entered.promise;
    await clock.advance(50);
    expect(await call).toMatchObject({ status: 504, code: "CQRS_TIMEOUT" });
    expect(await late.promise).toMatchObject({ name: "AbortError" });
  });
});

test("a query's refusals by guards, rejections and bugs reach the caller and the observers", async () => {
  await using storage = databaseInFile();
  const Guarded = query("Guarded", { input, output: z.number(), guards: [() => "not you"] });
  const Fail = query("Fail", { input, output: z.number() });
  const Bad = query("Bad", { input, output: z.number() });
  const app = counterApp(storage);
  app.cqrs
    .handle(Guarded, () => 1)
    .handle(Fail, () => {
      throw new HttpError(404, "No such counter");
    })
    .handle(Bad, () => "seven" as never);
  const seen: string[] = [];
  app.cqrs.onError(({ kind, operation }) => void seen.push(`${operation.kind} ${operation.name} ${kind}`));
  await runStarted(app, async () => {
    expect(await failureOf(app.cqrs.query(Guarded, { name: "a" }))).toMatchObject({ status: 403 });
    expect(await app.cqrs.query(Guarded, { name: "a" }, { skipGuards: true })).toBe(1);
    expect(await failureOf(app.cqrs.query(Fail, { name: "a" }))).toMatchObject({ status: 404 });
    expect(await failureOf(app.cqrs.query(Bad, { name: "a" }))).toMatchObject({ code: "CQRS_BAD_OUTPUT" });
    expect(seen).toEqual(["query Guarded rejection", "query Fail rejection", "query Bad bug"]);
  });
});
