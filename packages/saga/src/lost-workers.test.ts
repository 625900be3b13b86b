import { expect, test } from "@jest/globals";
import { saga, SagaReject } from "./index.ts";
import { because, bench, lost } from "./bench.test-kit.ts";

test("infrastructure failures never count as attempts, and a saga whose workers are repeatedly lost is paused", async () => {
  let losses = 0;
  const definition = saga("s", 1)
    .call("deadly", () => {
      losses++;
      throw lost();
    })
    .build();
  await using own = await bench(definition, { maxRetries: 0 });
  const id = await own.start();
  await own.loseWorkers();
  expect(losses).toBe(10);
  expect(await own.info(id)).toMatchObject({ status: "paused", error: { code: "SAGA_WORKERS_LOST" } });
});

test("a saga whose workers are repeatedly lost in an undo is stuck until an operator decides", async () => {
  let losses = 0;
  let isDeadly = true;
  const definition = saga("s", 1)
    .call("first", () => 1, {
      undo: () => {
        losses++;
        if (isDeadly) throw lost();
      },
    })
    .call("second", () => {
      throw new SagaReject("no");
    })
    .build();
  await using own = await bench(definition);
  const id = await own.start();
  await own.loseWorkers();
  expect(losses).toBe(10);
  expect(await own.info(id)).toMatchObject({ status: "stuck", error: { code: "SAGA_WORKERS_LOST" } });
  isDeadly = false;
  await own.worker.runner.retry(id, because);
  await own.worker.runAll();
  expect([(await own.info(id)).status, losses]).toEqual(["compensated", 11]);
});

test("a worker that froze in a step cannot write once another worker has taken over", async () => {
  const { promise: frozen, resolve: thaw } = Promise.withResolvers<void>();
  const effects: string[] = [];
  const definitionOf = (name: string, waits: Promise<void> | null) =>
    saga("s", 1)
      .call("one", async ({ idempotencyKey }) => {
        await waits;
        effects.push(`${name} ${idempotencyKey.split(":")[1]}`);
        return name;
      })
      .call("two", () => name)
      .build();
  await using own = await bench(definitionOf("zombie", frozen));
  const id = await own.start();
  const zombie = own.worker.run((await own.worker.take()) as never);
  await own.worker2(definitionOf("successor", null)).runAll();
  thaw();
  await expect(zombie).rejects.toMatchObject({ code: "SAGA_STALE" });
  expect(effects).toEqual(["successor one", "zombie one"]);
  expect((await own.info(id)).steps.map(({ output }) => output)).toEqual(["successor", "successor"]);
});

test("a worker that froze cannot write once another worker has claimed the saga, even before that worker has written", async () => {
  const { promise: frozen, resolve: thaw } = Promise.withResolvers<void>();
  const definition = saga("s", 1)
    .call("one", () => frozen)
    .build();
  await using own = await bench(definition);
  const id = await own.start();
  const zombie = own.worker.run((await own.worker.take()) as never);
  const successor = (await own.worker2().take()) as never;
  thaw();
  await expect(zombie).rejects.toMatchObject({ code: "SAGA_STALE" });
  expect((await own.info(id)).steps.map(({ status }) => status)).toEqual(["started"]);
  await own.worker.run(successor);
  expect((await own.info(id)).status).toBe("completed");
});

test("a change based on an outdated state of a saga is refused, and so is an illegal transition", async () => {
  const definition = saga("s", 1)
    .call("one", () => 1)
    .build();
  await using own = await bench(definition);
  const id = await own.start();
  const { store } = own.worker;
  const read = await store.load(store.db, id);
  if (read === null) throw new Error("no such saga");
  await store.db.transaction((tx) => store.change(tx, read, { event: "begin" }));
  const outdated = store.db.transaction((tx) => store.change(tx, read, { event: "pause" }));
  await expect(outdated).rejects.toMatchObject({ code: "SAGA_STALE" });
  const illegal = store.db.transaction((tx) => store.change(tx, read, { event: "restore" }));
  await expect(illegal).rejects.toMatchObject({ code: "SAGA_ILLEGAL" });
});

test("a saga whose steps changed without a new version is not run", async () => {
  const definition = saga("s", 1)
    .call("one", () => 1)
    .build();
  await using own = await bench(definition);
  const id = await own.start();
  const changed = own.worker2(
    saga("s", 1)
      .call("zero", () => 0)
      .call("one", () => 1)
      .build(),
  );
  await expect(changed.runAll()).rejects.toMatchObject({ code: "SAGA_CHANGED" });
  expect((await own.info(id)).status).toBe("ready");
});
