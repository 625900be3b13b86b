import { virtualClock } from "@framework/core/testing";
import { expect, test } from "@jest/globals";
import { saga } from "./index.ts";
import { bench, lost } from "./bench.test-kit.ts";

test("the time limit counts active time only: a long wait passes, long retries do not", async () => {
  const definition = saga("s", 1)
    .sleep("2h")
    .waitFor("go", { timeout: "2h" })
    .call(
      "flaky",
      () => {
        throw new Error("down");
      },
      { retry: { attempts: 100, delayMs: 4000, factor: 1 } },
    )
    .build();
  await using own = await bench(definition, { timeoutMs: 10_000 });
  const id = await own.start();
  await own.worker.runAll();
  await own.time.advance(7_200_000);
  await own.worker.runAll();
  await own.time.advance(3_600_000);
  await own.worker.runner.deliver(definition, { key: "k", id: "1", name: "go" });
  await own.pass(8000);
  expect((await own.info(id)).status).toBe("running");
  await own.pass(3000);
  expect(await own.info(id)).toMatchObject({ status: "compensated", error: { code: "SAGA_TIMEOUT" } });
});

test("time during which no worker runs the saga does not count: before its first run, after a worker was lost, and before a delayed run", async () => {
  let runs = 0;
  const definition = saga("s", 1)
    .call("lost", () => {
      if (++runs === 1) throw lost();
    })
    .call("flaky", ({ attempt }) => {
      if (attempt === 1) throw new Error("later");
    })
    .build();
  await using own = await bench(definition, { timeoutMs: 10_000 });
  const id = await own.start();
  await own.time.advance(3_600_000);
  await own.worker.run((await own.worker.take()) as never).catch(() => {});
  await own.time.advance(3_600_000);
  await own.worker.runAll();
  expect((await own.info(id)).status).toBe("running");
  await own.time.advance(3_600_000);
  await own.worker.runAll();
  expect(await own.info(id)).toMatchObject({ status: "completed", error: null });
});

test("the time of attempts counts across all runs", async () => {
  const clock = virtualClock();
  const definition = saga("s", 1)
    .call("first", () => clock.advance(6000))
    .call("second", () => clock.advance(6000))
    .build();
  await using own = await bench(definition, { timeoutMs: 10_000 }, { clock });
  const id = await own.start();
  await own.worker.run((await own.worker.take()) as never);
  expect(await own.info(id)).toMatchObject({
    status: "running",
    steps: [{ status: "done" }, { error: { code: "SAGA_STEP_TIMEOUT" } }],
  });
  await own.worker.runAll();
  expect(await own.info(id)).toMatchObject({ status: "compensated", error: { code: "SAGA_TIMEOUT" } });
});
