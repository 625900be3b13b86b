import { virtualClock } from "@framework/core/testing";
import { expect, test } from "@jest/globals";
import { saga } from "./index.ts";
import { because, bench, lost } from "./bench.test-kit.ts";

test("after a worker was lost in a step, `check` decides whether it is repeated, and `manual` asks an operator", async () => {
  const happened = new Set<string>();
  const ran: string[] = [];
  const work = ({ key }: { readonly key: string }) => {
    ran.push(key);
    if (happened.size === 0) throw lost();
    return "ran";
  };
  const check = saga("check", 1)
    .call("work", work, { check: ({ key }) => (happened.has(key) ? { output: "found" } : null) })
    .build();
  await using own = await bench(check);
  const [yes, no] = [await own.start("yes"), await own.start("no")];
  for (const _ of [yes, no]) await own.worker.run((await own.worker.take()) as never).catch(() => {});
  happened.add("yes");
  await own.worker.runAll();
  expect([(await own.info(yes)).steps[0]?.output, (await own.info(no)).steps[0]?.output]).toEqual([
    "found",
    "ran",
  ]);
  happened.clear();
  const manual = saga("manual", 1).call("work", work, { onUnknown: "manual" }).build();
  await using other = await bench(manual);
  const id = await other.start("manual");
  await other.worker.run((await other.worker.take()) as never).catch(() => {});
  await other.worker.runAll();
  expect(await other.info(id)).toMatchObject({ status: "paused", error: { code: "SAGA_UNKNOWN_OUTCOME" } });
  expect(ran.filter((key) => key === "manual")).toHaveLength(1);
});

test("after an operator's retry an unknown outcome is still checked first", async () => {
  let ran = 0;
  let hasWorked = false;
  const definition = saga("s", 1)
    .call(
      "deadly",
      () => {
        ran++;
        throw lost();
      },
      { check: () => (hasWorked ? { output: "found" } : null) },
    )
    .build();
  await using own = await bench(definition);
  const id = await own.start();
  await own.loseWorkers();
  expect([(await own.info(id)).status, ran]).toEqual(["paused", 10]);
  hasWorked = true;
  await own.worker.runner.retry(id, because);
  await own.worker.runAll();
  expect(await own.info(id)).toMatchObject({ status: "completed", steps: [{ output: "found" }] });
  expect(ran).toBe(10);
});

test("each branch of a parallel step with an unknown outcome is checked, even if another branch has paused the saga", async () => {
  const ran: string[] = [];
  const definition = saga("s", 1)
    .parallel("all", (branch) => {
      const work = (name: string) => () => {
        ran.push(name);
        if (ran.length <= 2) throw lost();
        return "ran";
      };
      return {
        a: branch(work("a"), { onUnknown: "manual" }),
        b: branch(work("b"), { check: () => ({ output: "found" }) }),
      };
    })
    .build();
  await using own = await bench(definition);
  const id = await own.start();
  await own.worker.run((await own.worker.take()) as never).catch(() => {});
  await own.worker.runAll();
  expect(await own.info(id)).toMatchObject({ status: "paused", error: { code: "SAGA_UNKNOWN_OUTCOME" } });
  await own.worker.runner.retry(id, because);
  await own.worker.runAll();
  expect((await own.info(id)).status).toBe("completed");
  expect(ran).toEqual(["a", "b", "a"]);
});

test("a failing `check` is retried like the step, and the step does not run before it succeeds", async () => {
  let ran = 0;
  let asked = 0;
  let isDown = true;
  const definition = saga("s", 1)
    .pivot()
    .call(
      "work",
      () => {
        ran++;
        throw lost();
      },
      {
        check: () => {
          asked++;
          if (isDown) throw new Error("down");
          return { output: "found" };
        },
      },
    )
    .build();
  await using own = await bench(definition, { maxRetries: 2 });
  const id = await own.start();
  await own.worker.run((await own.worker.take()) as never).catch(() => {});
  await own.pass(20_000);
  expect([(await own.info(id)).status, ran, asked]).toEqual(["paused", 1, 3]);
  isDown = false;
  await own.worker.runner.retry(id, because);
  await own.worker.runAll();
  expect([(await own.info(id)).status, ran, asked]).toEqual(["completed", 1, 4]);
});

test("a `check` that returns neither an output nor null pauses the saga, and the step does not run again", async () => {
  let ran = 0;
  const work = (): never => {
    ran++;
    throw lost();
  };
  for (const answer of [{ done: false }, undefined, true]) {
    const definition = saga("s", 1)
      .call("work", work, { check: () => answer as never })
      .build();
    await using own = await bench(definition);
    const id = await own.start();
    await own.worker.run((await own.worker.take()) as never).catch(() => {});
    await own.worker.runAll();
    const { status, error } = await own.info(id);
    expect([status, error?.message]).toEqual([
      "paused",
      'saga: `check` of the step "work" must return { output } if the step took effect, or null if it did not',
    ]);
  }
  expect(ran).toBe(3);
});

test("a step does not run if `check` has exceeded the time limit", async () => {
  const clock = virtualClock();
  const asked = Promise.withResolvers<void>();
  const found = Promise.withResolvers<null>();
  let ran = 0;
  const definition = saga("s", 1)
    .call(
      "work",
      () => {
        ran++;
        throw lost();
      },
      {
        timeoutMs: 1000,
        check: () => {
          asked.resolve();
          return found.promise;
        },
      },
    )
    .build();
  await using own = await bench(definition, {}, { clock });
  const id = await own.start();
  await own.worker.run((await own.worker.take()) as never).catch(() => {});
  const running = own.worker.run((await own.worker.take()) as never);
  await asked.promise;
  await clock.advance(1000);
  found.resolve(null);
  await running;
  expect(ran).toBe(1);
  expect((await own.info(id)).steps).toMatchObject([
    { status: "started", error: { code: "SAGA_STEP_TIMEOUT" } },
  ]);
});
