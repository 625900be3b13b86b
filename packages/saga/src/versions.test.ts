// Definitions, versions, health and metrics of an app.
import { App } from "@framework/core";
import { database } from "@framework/database";
import { databaseInFile, type TestDatabase } from "@framework/database/testing";
import type { Feature } from "@framework/core/feature";
import { durable } from "@framework/durable";
import { healthChecks } from "@framework/health";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { type AnySaga, saga, sagas } from "./index.ts";
import { waitForStatus, withStarted } from "./saga.test-kit.ts";

const quiet = { info() {}, warn() {}, error() {} };

/** Reads metrics of an app. */
const metricsReader: Feature<{ readMetric(name: string): unknown }> = {
  name: "metrics-reader",
  install: ({ insight }) => ({
    readMetric: (name) =>
      insight
        .metrics()
        .find((metric) => metric.name === name)
        ?.read(),
  }),
};

const appOn = ({ url }: Pick<TestDatabase, "url">, ...definitions: readonly AnySaga[]) => {
  const app = new (App.with(database, durable, healthChecks, sagas, metricsReader))()
    .enableDatabase({ url })
    .enableDurable({ pollMinMs: 5, pollMaxMs: 50 })
    .enableHealthChecks()
    .enableSaga();
  for (const definition of definitions) app.saga.define(definition);
  return app;
};

const waiting = (version: number, more = false): AnySaga => {
  const base = saga("order", version)
    .call("order", () => version)
    .waitFor("packed");
  return more ? base.call("more", () => version).build() : base.build();
};

const failureOf = (app: App): Promise<string> =>
  app.start({ log: quiet }).then(
    () => app.stop().then(() => "started"),
    (error: Error) => error.message,
  );

test("two versions run side by side, each with its own steps", async () => {
  await using storage = databaseInFile();
  const [one, two] = [waiting(1), waiting(2, true)];
  const app = appOn(storage, one, two);
  await withStarted(app, async () => {
    const { id: first } = await app.saga.start(one, null, { key: "1" });
    const { id: second } = await app.saga.start(two, null, { key: "2" });
    await waitForStatus(app, first, "waiting");
    await waitForStatus(app, second, "waiting");
    for (const key of ["1", "2"]) await app.saga.deliver(two, { key, id: "m", name: "packed" });
    expect((await waitForStatus(app, first, "completed")).steps).toHaveLength(2);
    expect((await waitForStatus(app, second, "completed")).steps).toHaveLength(3);
  });
});

test("a process that does not define a version reports it in its health check, and does not run its instances", async () => {
  await using storage = databaseInFile();
  const [old, now] = [waiting(1), waiting(2)];
  const before = appOn(storage, old);
  let id = "";
  await withStarted(before, async () => {
    ({ id } = await before.saga.start(old, null, { key: "1" }));
    await waitForStatus(before, id, "waiting");
  });
  const after = appOn(storage, now);
  await withStarted(after, async () => {
    const report = async (): Promise<string> =>
      (await after.fetch(new Request("http://localhost/health"))).text();
    expect(await report()).toContain(
      "order version 1 are unfinished, but this process does not define this version",
    );
    await expect(after.saga.deliver(now, { key: "1", id: "m", name: "packed" })).rejects.toMatchObject({
      code: "SAGA_UNKNOWN",
    });
    expect((await after.saga.get(id))?.status).toBe("waiting");
  });
});

test("a message for an instance whose version only another process defines is stored, even if no wait of this process expects it", async () => {
  await using storage = databaseInFile();
  const [old, now] = [waiting(1), saga("order", 2).waitFor("packed").waitFor("fetched").build()];
  const newer = appOn(storage, old, now);
  await withStarted(newer, async () => {
    const { id } = await newer.saga.start(now, null, { key: "2" });
    await newer.saga.start(old, null, { key: "1" });
    await waitForStatus(newer, id, "waiting");
    const older = appOn(storage, old); // during a rolling deployment
    await withStarted(older, async () => {
      const fetched = { key: "2", id: "a", name: "fetched" };
      expect(await older.saga.deliver(old, fetched)).toBe("kept");
      await expect(older.saga.deliver(old, { ...fetched, key: "1" })).rejects.toMatchObject({
        code: "SAGA_NO_WAIT",
      });
    });
    expect(await newer.saga.deliver(now, { key: "2", id: "b", name: "packed" })).toBe("resumed");
    expect((await waitForStatus(newer, id, "completed")).steps).toHaveLength(2);
  });
});

test("metrics count attempts by outcome, and unfinished instances by status", async () => {
  await using storage = databaseInFile();
  const broken = saga("broken", 1)
    .call("typo", () => {
      throw new TypeError("x");
    })
    .build();
  const before = appOn(storage, waiting(1), broken);
  await withStarted(before, async () => {
    const { id: first } = await before.saga.start(waiting(1), null, { key: "1" });
    const { id: second } = await before.saga.start(broken, null, { key: "1" });
    await waitForStatus(before, first, "waiting");
    await waitForStatus(before, second, "paused");
    expect(before.readMetric("saga_attempts_total")).toEqual(
      expect.arrayContaining([
        { value: 1, labels: { saga: "order", outcome: "done" } },
        { value: 1, labels: { saga: "broken", outcome: "bug" } },
      ]),
    );
  });
  const after = appOn(storage, waiting(1), broken);
  await withStarted(after, async () => {
    await waitFor(() => (after.readMetric("saga_instances") as readonly unknown[]).length > 0, {
      subject: "the first count",
      timeoutMs: 60_000,
    });
    expect(after.readMetric("saga_instances")).toEqual(
      expect.arrayContaining([
        { value: 1, labels: { saga: "order", status: "waiting" } },
        { value: 1, labels: { saga: "broken", status: "paused" } },
      ]),
    );
  });
});

test("steps that changed without a new version are refused at start while instances of that version are unfinished", async () => {
  await using storage = databaseInFile();
  const app = appOn(storage, waiting(1));
  await withStarted(app, async () => {
    const { id } = await app.saga.start(waiting(1), null, { key: "1" });
    await waitForStatus(app, id, "waiting");
  });
  expect(await failureOf(appOn(storage, waiting(1, true)))).toContain(
    'the steps of "order" version 1 differ from those',
  );
  expect(await failureOf(appOn(storage, waiting(1), waiting(2, true)))).toBe("started");
});

test("all mistakes in definitions are reported at start, together", async () => {
  const app = appOn({ url: "sqlite://:memory:" });
  app.saga
    .define(saga("no spaces", 0).build())
    .define(
      saga("twice", 1)
        .call("a", () => 1)
        .call("a", () => 2)
        .build(),
    )
    .define(
      saga("limits", 1)
        .call("a", () => 1, { timeoutMs: 0, retry: { attempts: 0 } })
        .sleep("3 weeks" as never)
        .build(),
    )
    .define(
      saga("checks", 1)
        .call("a", () => 1, { onUnknown: "check" })
        .pivot()
        .pivot()
        .build(),
    )
    .define(
      saga("words", 1)
        .call("a", () => 1, { onUnknown: "manuel", undoo: () => {}, undo: 7, check: 7 } as object)
        .parallel("b", (branch) => ({ one: branch(() => 1, { timeout: 5 } as object) }))
        .pivot()
        .call("c", () => 1, { undo: () => {} })
        .build(),
    )
    .define(
      saga("sends", 1)
        .send("tell", () => ({ topic: "t", type: "x" }))
        .build(),
    )
    .define(
      saga("kinds", 1, {} as never)
        .when(true as never, (branch) => branch.call("c", () => 1))
        .parallel("p", () => ({ one: () => 1 }) as never)
        .waitFor("w", { schema: {} as never })
        .build(),
    )
    .define(saga("open", 1).call("a", () => 1) as never)
    .define(undefined as never)
    .define(waiting(1))
    .define(waiting(1));
  const failure = await failureOf(app);
  for (const message of [
    "saga no spaces version 0: its name must have 1 to 64 letters",
    "its version must be a whole number",
    "it has no steps",
    'there are two steps "a"; rename one',
    '"a": timeoutMs must be a whole number',
    "RetryPolicy.attempts",
    '"sleep-2": its duration must be milliseconds, or a string such as',
    'onUnknown "check" needs the function check',
    "it has two pivots",
    '"a" has no field "undoo"; did you mean "undo"?',
    '"b" branch "one" has no field "timeout"; did you mean "timeoutMs"?',
    '"a": onUnknown must be "retry", "check" or "manual"',
    '"a": undo must be a function',
    '"a": check must be a function',
    '"c" has undo, which is never called after the pivot',
    '"tell" sends messages, which needs the feature messaging',
    "saga kinds version 1: its input must be a Standard Schema",
    "saga kinds version 1: when needs two functions",
    '"p" branch "one": its work must be a function',
    '"w": schema must be a Standard Schema',
    "define needs a built saga; end it with .build()",
    "define needs a built saga; it got undefined",
    "saga order version 1: it is defined twice",
  ])
    expect(failure).toContain(message);
});

test("names that are not strings are mistakes", () => {
  const { problems } = saga(undefined as never, 1)
    .call(null as never, () => 1)
    .build();
  expect(problems).toEqual([
    expect.stringContaining("its name must have 1 to 64 letters"),
    expect.stringContaining('the name "null" must have 1 to 64 letters'),
  ]);
});

test("sagas that are defined but not enabled are a start error", async () => {
  const app = new (App.with(database, durable, sagas))().enableDatabase({ url: "sqlite://:memory:" });
  app.saga.define(waiting(1));
  expect(await failureOf(app)).toContain("call enableSaga()");
});
