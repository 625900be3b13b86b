// Undos and further attempts wait for a running call.
import { virtualClock } from "@framework/core/testing";
import { databaseInFile } from "@framework/database/testing";
import { expect, test } from "@jest/globals";
import { type AnySaga, saga } from "./index.ts";
import { because, bench } from "./bench.test-kit.ts";
import { waitForStatus, sagaApp, withStarted } from "./saga.test-kit.ts";

/** A saga whose call takes effect when the test decides, regardless of its signal. */
const slow = () => {
  const [begun, aborted, continues] = [0, 1, 2].map(() => Promise.withResolvers<void>());
  if (begun === undefined || aborted === undefined || continues === undefined) throw new Error("never");
  const effects: string[] = [];
  const definition: AnySaga = saga("slow", 1)
    .call(
      "charge",
      async ({ signal }) => {
        signal.addEventListener("abort", () => aborted.resolve());
        begun.resolve();
        await continues.promise;
        effects.push("charge");
        return "receipt";
      },
      { undo: (_, output) => void effects.push(`refund ${output}`), retry: { attempts: 1 } },
    )
    .call("ship", () => void effects.push("ship"))
    .build();
  return { definition, effects, begun: begun.promise, aborted: aborted.promise, goOn: continues.resolve };
};

/** Resolves with a value when the signal aborts. */
const untilAborted = (signal: AbortSignal, value: string, begun = (): void => {}): Promise<string> =>
  new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve(value));
    begun();
  });

test("the undo of a saga that is cancelled during a call begins when the call has ended", async () => {
  const { definition, effects, begun, aborted, goOn } = slow();
  await using own = await bench(definition);
  const id = await own.start();
  const running = own.loseWorkers();
  await begun;
  await own.worker.runner.cancel(id, because);
  await aborted;
  expect([effects, (await own.info(id)).status]).toEqual([[], "cancelling"]);
  goOn();
  await running;
  expect([effects, (await own.info(id)).status]).toEqual([["charge", "refund receipt"], "compensated"]);
});

test("the undo of a call gets its output when the worker detects the cancellation only after the call", async () => {
  const { definition, effects, begun, goOn } = slow();
  await using own = await bench(definition);
  const id = await own.start();
  const running = own.loseWorkers();
  await begun;
  await own.worker2().runner.cancel(id, because);
  goOn();
  await running;
  expect([effects, (await own.info(id)).status]).toEqual([["charge", "refund receipt"], "compensated"]);
});

test("each branch of a cancelled step is undone with its own output, including branches that had ended before", async () => {
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const undone: string[] = [];
  const definition = saga("both", 1)
    .parallel("all", (branch) => {
      const undo = (_: unknown, output: unknown): void => void undone.push(String(output));
      return {
        quick: branch(() => "quick", { undo }),
        slow: branch(({ signal }) => untilAborted(signal, "slow", begin), { undo }),
        none: branch(
          ({ signal }) => untilAborted(signal, "none").then(() => Promise.reject(new Error("no"))),
          {
            undo,
          },
        ),
      };
    })
    .build();
  await using own = await bench(definition);
  const id = await own.start();
  const running = own.loseWorkers();
  await begun;
  await own.worker.runner.cancel(id, because);
  await running;
  expect([undone, (await own.info(id)).status]).toEqual([["undefined", "slow", "quick"], "compensated"]);
});

test("an undo gets the output of an attempt that exceeded its time limit, even if later attempts failed", async () => {
  const clock = virtualClock();
  const undone: unknown[] = [];
  const seen: unknown[] = [];
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const definition = saga("late", 1)
    .call(
      "charge",
      ({ attempt, signal, outputs }) => {
        seen.push(outputs);
        if (attempt === 1) return untilAborted(signal, "receipt", begin);
        throw new Error("down");
      },
      { undo: (_, output) => void undone.push(output), retry: { attempts: 2, delayMs: 1 } },
    )
    .build();
  await using own = await bench(definition, { stepTimeoutMs: 1000 }, { clock });
  const id = await own.start();
  const running = own.worker.runAll();
  await begun;
  await clock.advance(1000);
  await running;
  await own.pass(2000);
  expect([undone, (await own.info(id)).status]).toEqual([["receipt"], "compensated"]);
  expect(seen.map((outputs) => ({ ...(outputs as object) }))).toEqual([{}, {}]);
});

test("a saga that is cancelled while no call runs is undone at once: before its first run, and between two attempts", async () => {
  const effects: string[] = [];
  const definition = saga("s", 1)
    .call(
      "charge",
      () => {
        throw new Error("later");
      },
      { undo: () => void effects.push("refund"), retry: { attempts: 2, delayMs: 3_600_000 } },
    )
    .build();
  await using storage = databaseInFile();
  const app = sagaApp(storage);
  app.saga.define(definition);
  await withStarted(app, async () => {
    const { id } = await app.saga.start(definition, null, { key: "k" });
    await waitForStatus(app, id, "running");
    await app.saga.cancel(id, because);
    await waitForStatus(app, id, "compensated");
  });
  await using own = await bench(definition);
  const id = await own.start();
  await own.worker.runner.cancel(id, because);
  await own.worker.runAll();
  expect([effects, (await own.info(id)).status]).toEqual([["refund", "refund"], "compensated"]);
}, 180_000);

test("the undo of a call that takes too long begins when the call has ended", async () => {
  const clock = virtualClock();
  const { definition, effects, begun, aborted, goOn } = slow();
  await using own = await bench(definition, { stepTimeoutMs: 1000 }, { clock });
  const id = await own.start();
  const running = own.worker.runAll();
  await begun;
  await clock.advance(1000);
  await aborted;
  await clock.advance(9999);
  expect([effects, (await own.info(id)).status]).toEqual([[], "ready"]);
  goOn();
  await running;
  expect(effects).toEqual(["charge", "refund receipt"]);
  expect(await own.info(id)).toMatchObject({ status: "compensated", error: { code: "SAGA_STEP_TIMEOUT" } });
});

test.each(["at its time limit", "when it is cancelled"])(
  "a call that does not end %s is abandoned ten seconds after its limit, with a log line",
  async (when) => {
    const clock = virtualClock();
    const lines: string[] = [];
    const log = { info() {}, warn: (line: string) => void lines.push(line), error() {} };
    const { definition, effects, begun, aborted, goOn } = slow();
    await using own = await bench(definition, { stepTimeoutMs: 1000 }, { clock, log });
    const id = await own.start();
    const running = own.loseWorkers();
    await begun;
    if (when !== "at its time limit") await own.worker.runner.cancel(id, because);
    await clock.advance(1000);
    await aborted;
    await clock.advance(9999);
    expect(effects).toEqual([]);
    await clock.advance(1);
    await running;
    expect([effects, (await own.info(id)).status]).toEqual([["refund undefined"], "compensated"]);
    expect(lines).toEqual([
      'saga: "slow" continues although "charge" has not ended 10000 ms after its time limit: its late effects may follow its undo',
    ]);
    goOn();
  },
);
