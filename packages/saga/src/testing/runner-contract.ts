import assert from "node:assert/strict";
import { type PortContract, portContract } from "@framework/core/testing";
import { DatabaseError } from "@framework/database";
import { saga } from "../definition/saga.ts";
import { SagaReject } from "../errors/saga-reject.ts";
import { waitForStatus, type RunnerFixture } from "./runner-fixture.ts";
import { callFacts } from "./call-facts.ts";
import { conditionFacts } from "./condition-facts.ts";
import { versionFacts } from "./version-facts.ts";

const because = { reason: "the test says so" };
const quick = { retry: { attempts: 3, delayMs: 1 } } as const;

/** The contract suite of saga runners. */
export const sagaRunnerContract: PortContract<RunnerFixture> = portContract("saga runner", {
  "runs steps in order, and each gets the outputs of the previous ones": async ({ run }) => {
    const definition = saga("sum", 1)
      .call("one", () => ({ value: 1 }))
      .parallel("both", (branch) => ({
        a: branch(({ outputs }) => outputs.one.value + 1),
        b: branch(() => 3),
      }))
      .call("all", ({ outputs }) => outputs.one.value + outputs.both.a + outputs.both.b)
      .build();
    const runner = await run([definition]);
    const { id, isNew } = await runner.start(definition, null, { key: "k" });
    assert.equal(isNew, true);
    assert.equal((await waitForStatus(runner, id, "completed")).steps.at(-1)?.output, 6);
  },
  "has one instance per key": async ({ run }) => {
    let runs = 0;
    const definition = saga("once", 1)
      .call("count", () => void runs++)
      .build();
    const runner = await run([definition]);
    const starts = await Promise.all([1, 2, 3].map(() => runner.start(definition, null, { key: "same" })));
    assert.equal(new Set(starts.map(({ id }) => id)).size, 1);
    assert.equal(starts.filter(({ isNew }) => isNew).length, 1);
    await waitForStatus(runner, starts[0]?.id ?? "", "completed");
    assert.equal((await runner.start(definition, null, { key: "same" })).isNew, false);
    assert.equal(runs, 1);
  },
  "undoes started steps in reverse order after a rejection": async ({ run }) => {
    const undone: unknown[] = [];
    const definition = saga("no", 1)
      .call("first", () => 1, { undo: (_, output) => void undone.push(output) })
      .call("second", () => 2, { undo: (_, output) => void undone.push(output) })
      .call("third", () => {
        throw new SagaReject("no");
      })
      .build();
    const runner = await run([definition]);
    const { id } = await runner.start(definition, null, { key: "k" });
    const info = await waitForStatus(runner, id, "compensated");
    assert.deepEqual(undone, [2, 1]);
    assert.equal(info.error?.name, "SagaReject");
  },
  "repeats a step after a transient error, with the same idempotency key": async ({ run }) => {
    const keys: string[] = [];
    const definition = saga("again", 1)
      .call(
        "flaky",
        ({ idempotencyKey, attempt }) => {
          keys.push(idempotencyKey);
          if (attempt < 3) throw new Error("later");
          return attempt;
        },
        quick,
      )
      .build();
    const runner = await run([definition]);
    const { id } = await runner.start(definition, null, { key: "k" });
    assert.equal((await waitForStatus(runner, id, "completed")).steps[0]?.output, 3);
    assert.deepEqual(
      keys,
      Array.from({ length: 3 }, () => keys[0]),
    );
  },
  "gives each run of a transaction the stored outputs, also after a conflict": async ({ run }) => {
    const seen: string[] = [];
    const definition = saga("conflict", 1)
      .call("list", () => ["a", "b"])
      .tx("store", ({ outputs: { list } }) => {
        seen.push(list.splice(0).join(""));
        if (seen.length === 1) throw new DatabaseError("deadlock", "a deadlock", { sqlCode: "40P01" });
      })
      .build();
    const runner = await run([definition]);
    const { id } = await runner.start(definition, null, { key: "k" });
    await waitForStatus(runner, id, "completed");
    assert.deepEqual(seen, ["ab", "ab"]);
  },
  "undoes the saga when all attempts have failed, with the step that failed": async ({ run }) => {
    const undone: string[] = [];
    const definition = saga("over", 1)
      .call("first", () => 1, { undo: () => void undone.push("first") })
      .call(
        "down",
        () => {
          throw new Error("down");
        },
        { ...quick, undo: (_, output) => void undone.push(`down ${output}`) },
      )
      .build();
    const runner = await run([definition]);
    const { id } = await runner.start(definition, null, { key: "k" });
    await waitForStatus(runner, id, "compensated");
    assert.deepEqual(undone, ["down undefined", "first"]);
  },
  "continues with a message that arrives during a wait, and with one that arrived before": async ({
    run,
  }) => {
    const definition = saga("waits", 1)
      .call("order", () => "ordered")
      .waitFor("packed", { timeout: "1h" })
      .waitFor("fetched", { timeout: "1h" })
      .build();
    const runner = await run([definition]);
    const { id } = await runner.start(definition, null, { key: "k" });
    await waitForStatus(runner, id, "waiting");
    const fetched = { key: "k", id: "2", name: "fetched" };
    assert.equal(await runner.deliver(definition, fetched), "kept");
    assert.equal(await runner.deliver(definition, fetched), "repeated");
    await assert.rejects(runner.deliver(definition, { ...fetched, id: "0", name: "fetchd" }), {
      code: "SAGA_NO_WAIT",
      message: 'saga: "waits" never waits for "fetchd"; did you mean "fetched"?',
    });
    assert.equal(await runner.deliver(definition, { key: "k", id: "1", name: "packed", data: 7 }), "resumed");
    const info = await waitForStatus(runner, id, "completed");
    assert.equal(info.steps.find(({ step }) => step === "packed")?.output, 7);
    assert.equal(await runner.deliver(definition, { ...fetched, id: "3" }), "ended");
    assert.equal(await runner.deliver(definition, { ...fetched, key: "other" }), "unknown");
  },
  "continues after a sleep": async ({ run }) => {
    const definition = saga("sleeps", 1)
      .sleep("20ms")
      .call("end", () => "awake")
      .build();
    const runner = await run([definition]);
    const { id } = await runner.start(definition, null, { key: "k" });
    await waitForStatus(runner, id, "completed");
  },
  "pauses at a programming error, undoes nothing, and continues when an operator retries": async ({
    run,
  }) => {
    let isBroken = true;
    let undos = 0;
    const definition = saga("bug", 1)
      .call("paid", () => 1, { undo: () => void undos++ })
      .call("typo", () => {
        if (isBroken) throw new TypeError("x is not a function");
      })
      .build();
    const runner = await run([definition]);
    const { id } = await runner.start(definition, null, { key: "k" });
    await waitForStatus(runner, id, "paused");
    isBroken = false;
    assert.equal(await runner.retry(id, because), true);
    await waitForStatus(runner, id, "completed");
    assert.equal(undos, 0);
  },
  "undoes a saga that an operator cancels in a wait": async ({ run }) => {
    const undone: string[] = [];
    const definition = saga("cancelled", 1)
      .call("order", () => 1, { undo: () => void undone.push("order") })
      .waitFor("packed", { timeout: "1h" })
      .build();
    const runner = await run([definition]);
    const { id } = await runner.start(definition, null, { key: "k" });
    await waitForStatus(runner, id, "waiting");
    assert.equal(await runner.cancel(id, because), true);
    await waitForStatus(runner, id, "compensated");
    assert.deepEqual(undone, ["order"]);
    await assert.rejects(runner.cancel(id, because), { status: 409 });
  },
  "pauses after the pivot instead of undoing": async ({ run }) => {
    let undos = 0;
    const definition = saga("pivots", 1)
      .call("paid", () => 1, { undo: () => void undos++ })
      .pivot()
      .call("ship", () => {
        throw new SagaReject("no carrier");
      })
      .build();
    const runner = await run([definition]);
    const { id } = await runner.start(definition, null, { key: "k" });
    await waitForStatus(runner, id, "paused");
    await assert.rejects(runner.cancel(id, because), { status: 409 });
    assert.equal(await runner.settle(id, because), true);
    await waitForStatus(runner, id, "completed");
    assert.equal(undos, 0);
  },
  "lists instances by status, and shows the timeline of one": async ({ run }) => {
    const definition = saga("seen", 1)
      .call("work", ({ key }) => {
        if (key === "bad") throw new SagaReject("no");
      })
      .build();
    const runner = await run([definition]);
    const [good, bad] = [
      await runner.start(definition, 1, { key: "good" }),
      await runner.start(definition, 2, { key: "bad" }),
    ];
    await waitForStatus(runner, good.id, "completed");
    const info = await waitForStatus(runner, bad.id, "compensated");
    assert.equal(info.input, 2);
    const { sagas } = await runner.list({ name: "seen", status: "compensated" });
    assert.deepEqual(
      Array.from(sagas, ({ key }) => key),
      ["bad"],
    );
    const timeline = await runner.timeline(bad.id);
    assert.deepEqual([timeline[0]?.event, timeline.at(-1)?.status], ["start", "compensated"]);
    assert.equal(await runner.get("00000000-0000-0000-0000-000000000000"), null);
  },
  ...callFacts,
  ...conditionFacts,
  ...versionFacts,
});
