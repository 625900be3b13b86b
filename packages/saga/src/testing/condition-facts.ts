import assert from "node:assert/strict";
import type { PortFacts } from "@framework/core/testing";
import { saga } from "../definition/saga.ts";
import { SagaReject } from "../errors/saga-reject.ts";
import { waitForStatus, type RunnerFixture } from "./runner-fixture.ts";

const because = { reason: "the test says so" };

/** Contract of the conditions of `when`. */
export const conditionFacts: PortFacts<RunnerFixture> = {
  "repeats and undoes a call that has begun, even if its condition no longer holds": async ({ run }) => {
    const ran: string[] = [];
    let isOn = true;
    const definition = saga("begun", 1)
      .when(
        () => isOn,
        (branch) =>
          branch.call(
            "charge",
            () => {
              ran.push("charge");
              if (!isOn) return;
              isOn = false;
              throw new Error("the connection broke");
            },
            { retry: { attempts: 2, delayMs: 1 }, undo: () => void ran.push("refund") },
          ),
      )
      .call("ship", () => {
        throw new SagaReject("no stock");
      })
      .build();
    const runner = await run([definition]);
    const { id } = await runner.start(definition, null, { key: "k" });
    await waitForStatus(runner, id, "compensated");
    assert.deepEqual(ran, ["charge", "charge", "refund"]);
  },
  "evaluates the next condition after an operator's skip, and again after it threw": async ({ run }) => {
    const ran: string[] = [];
    let isBroken = true;
    const definition = saga("asked", 1)
      .call("typo", () => {
        throw new TypeError("x");
      })
      .when(
        () => false,
        (branch) => branch.call("never", () => void ran.push("never")),
      )
      .when(
        () => {
          if (isBroken) throw new TypeError("y");
          return false;
        },
        (branch) => branch.call("neither", () => void ran.push("neither")),
      )
      .call("last", () => void ran.push("last"))
      .build();
    const runner = await run([definition]);
    const { id } = await runner.start(definition, null, { key: "k" });
    await waitForStatus(runner, id, "paused");
    await runner.skip(id, because);
    assert.equal((await waitForStatus(runner, id, "paused", 2)).position, 2);
    isBroken = false;
    await runner.retry(id, because);
    await waitForStatus(runner, id, "completed");
    assert.deepEqual(ran, ["last"]);
  },
};
