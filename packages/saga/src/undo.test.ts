import { expect, test } from "@jest/globals";
import { saga, SagaReject } from "./index.ts";
import { because, bench } from "./bench.test-kit.ts";

test("a failing undo is retried until `undoTimeoutMs`, then the saga is stuck until an operator decides", async () => {
  let isDown = true;
  const done: string[] = [];
  const definition = saga("s", 1)
    .tx("first", () => 1, { undo: () => void done.push("first") })
    .call("second", () => 2, {
      undo: () => {
        if (isDown) throw new Error("down");
        done.push("second");
      },
    })
    .call("third", () => {
      throw new SagaReject("no");
    })
    .build();
  await using own = await bench(definition, { undoTimeoutMs: 5000 });
  const [one, two, three] = [await own.start("1"), await own.start("2"), await own.start("3")];
  await own.pass(3000);
  expect((await own.info(one)).status).toBe("compensating");
  await own.pass(20_000);
  expect([(await own.info(one)).status, done]).toEqual(["stuck", []]);
  await own.worker.runner.skip(two, because);
  await own.worker.runner.settle(three, because);
  await own.worker.runAll();
  expect(done).toEqual(["first", "first"]);
  isDown = false;
  await own.worker.runner.retry(one, because);
  await own.worker.runAll();
  expect(done).toEqual(["first", "first", "second", "first"]);
  for (const id of [one, two, three]) expect((await own.info(id)).status).toBe("compensated");
});

test("a programming error in an undo makes the saga stuck at once", async () => {
  const definition = saga("s", 1)
    .call("first", () => 1, {
      undo: () => {
        throw new TypeError("x");
      },
    })
    .call("second", () => {
      throw new SagaReject("no");
    })
    .build();
  await using own = await bench(definition);
  const id = await own.start();
  await own.worker.runAll();
  expect((await own.info(id)).status).toBe("stuck");
});

test("after the pivot nothing is undone: a step whose attempts all fail pauses the saga, and it cannot be cancelled", async () => {
  let undos = 0;
  const definition = saga("s", 1)
    .call("paid", () => 1, { undo: () => void undos++ })
    .pivot()
    .call("ship", ({ attempt }) => {
      if (undos === 0 && attempt < 3) throw new SagaReject("no carrier");
    })
    .waitFor("arrived", { timeout: "1m" })
    .build();
  await using own = await bench(definition);
  const id = await own.start();
  await own.worker.runAll();
  expect((await own.info(id)).status).toBe("paused");
  await expect(own.worker.runner.cancel(id, because)).rejects.toMatchObject({ status: 409 });
  await own.worker.runner.skip(id, because);
  await own.pass(61_000);
  expect(await own.info(id)).toMatchObject({ status: "paused", error: { code: "SAGA_TIMEOUT" } });
  await own.worker.runner.retry(id, because);
  await own.worker.runAll();
  expect((await own.info(id)).status).toBe("waiting");
  await own.worker.runner.deliver(definition, { key: "k", id: "1", name: "arrived" });
  await own.worker.runAll();
  expect([(await own.info(id)).status, undos]).toEqual(["completed", 0]);
});

test("an undo that fails after a time without workers is retried", async () => {
  const definition = saga("s", 1)
    .call("first", () => 1, {
      undo: ({ attempt }) => {
        if (attempt <= 2) throw new Error("down");
      },
    })
    .call("second", () => {
      throw new SagaReject("no");
    })
    .build();
  await using own = await bench(definition, { undoTimeoutMs: 5000 });
  const id = await own.start();
  await own.worker.runAll();
  await own.time.advance(3_600_000);
  await own.worker.runAll();
  expect((await own.info(id)).status).toBe("compensating");
  await own.pass(2000);
  expect((await own.info(id)).status).toBe("compensated");
});
