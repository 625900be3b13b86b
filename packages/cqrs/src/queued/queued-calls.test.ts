import { databaseInFile } from "@framework/database/testing";
import { testClient, waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { z } from "zod";
import { counterApp, failureOf, newLog, runStarted } from "../counters.test-kit.ts";
import { command } from "../index.ts";

test("a queued command that a stopping process releases is a transient failure, not a bug", async () => {
  await using storage = databaseInFile();
  const Endless = command("Endless", { input: z.string(), mode: "queued" });
  const app = counterApp(storage);
  const failures: unknown[] = [];
  app.cqrs.onError(({ kind, error }) => void failures.push([kind, (error as { code?: unknown }).code]));
  const called = Promise.withResolvers<void>();
  app.cqrs.handle(Endless, () => {
    called.resolve();
    return new Promise(() => {});
  });
  const log = newLog();
  await app.start({ log });
  await app.cqrs.enqueue(Endless, "a");
  await called.promise;
  await app.stop({ timeoutSecs: 0.1 });
  expect(failures).toEqual([["transient", "DURABLE_RELEASED"]]);
  const levels = log.lines.filter(({ message }) => message.startsWith("cqrs:")).map(({ level }) => level);
  expect(levels).toEqual(["warn"]);
});

test("a body that is larger when it is stored than the queue accepts is refused with 413", async () => {
  await using storage = databaseInFile();
  const Sum = command("Sum", { input: z.array(z.number()), mode: "queued", http: { path: "/sums" } });
  const app = counterApp(storage);
  const kinds: string[] = [];
  app.cqrs.onError(({ kind }) => void kinds.push(kind));
  app.cqrs.handle(Sum, () => {});
  await using client = testClient(app);
  const headers = { "content-type": "application/json" };
  const post = async (length: number) =>
    (await client.post("/sums", { headers, body: `[${Array(length).fill("1e20").join()}]` })).status;
  expect([await post(47_000), await post(48_000)]).toEqual([202, 413]); // 1e20 is stored with 21 digits
  expect(kinds).toEqual(["rejection"]);
});

test("a queued command that requires an idempotency key needs it when it is enqueued, and is then executed", async () => {
  await using storage = databaseInFile();
  const Pay = command("Pay", {
    input: z.number(),
    output: z.number(),
    mode: "queued",
    idempotency: "required",
  });
  const app = counterApp(storage);
  app.cqrs.handle(Pay, (amount) => amount);
  await runStarted(app, async () => {
    expect(await failureOf(app.cqrs.enqueue(Pay, 7))).toMatchObject({ code: "CQRS_KEY_MISSING" });
    expect(await failureOf(app.cqrs.execute(Pay, 7))).toMatchObject({ code: "CQRS_KEY_MISSING" });
    const { id } = await app.cqrs.enqueue(Pay, 7, { idempotencyKey: "k" });
    await waitFor(async () => (await app.cqrs.status(id))?.state === "done");
    expect((await app.cqrs.status(id))?.result).toBe(7);
  });
});

test("an input that matches the schema only until it is stored is refused when it is enqueued", async () => {
  await using storage = databaseInFile();
  const options = { output: z.string(), mode: "queued" } as const;
  const Exact = command("Exact", { ...options, input: z.object({ at: z.date() }) });
  const Coerced = command("Coerced", { ...options, input: z.object({ at: z.coerce.date() }) });
  const app = counterApp(storage);
  app.cqrs.handle(Exact, ({ at }) => at.toISOString()).handle(Coerced, ({ at }) => at.toISOString());
  const input = { at: new Date(0) };
  await runStarted(app, async () => {
    expect((await failureOf(app.cqrs.enqueue(Exact, input))).status).toBe(422);
    const { id } = await app.cqrs.enqueue(Coerced, input);
    await waitFor(async () => (await app.cqrs.status(id))?.state === "done");
    expect((await app.cqrs.status(id))?.result).toBe("1970-01-01T00:00:00.000Z");
  });
});
