import assert from "node:assert/strict";
import { dependency } from "@framework/core";
import type { PortFacts } from "@framework/core/testing";
import { saga } from "../definition/saga.ts";
import type { UndoContext } from "../definition/context.ts";
import { SagaReject } from "../errors/saga-reject.ts";
import type { StepScopes } from "../run/step-calls.ts";
import { waitForStatus, type RunnerFixture } from "./runner-fixture.ts";

const because = { reason: "the test says so" };

/** Contract of calls whose reply was lost or arrived after the time limit, and of `check`. */
export const callFacts: PortFacts<RunnerFixture> = {
  "gives an undo the key of its step, which finds a charge whose reply was lost": async ({ run }) => {
    const charged = new Set<string>();
    const keys: string[] = [];
    const charge = (key: string): string => {
      charged.add(key);
      keys.push(key);
      return key;
    };
    const refund = ({ stepKey, idempotencyKey }: UndoContext): void => {
      charged.delete(stepKey);
      keys.push(idempotencyKey);
    };
    const definition = saga("refunds", 1)
      .parallel("deposits", (branch) => ({
        first: branch(({ idempotencyKey }) => charge(idempotencyKey), { undo: refund }),
        second: branch(({ idempotencyKey }) => charge(idempotencyKey), { undo: refund }),
      }))
      .call(
        "charge",
        ({ idempotencyKey }) => {
          charge(idempotencyKey);
          throw new Error("the reply was lost");
        },
        { retry: { attempts: 1 }, undo: refund },
      )
      .build();
    const runner = await run([definition]);
    const { id } = await runner.start(definition, null, { key: "k" });
    await waitForStatus(runner, id, "compensated");
    assert.deepEqual(Array.from(charged), []);
    assert.equal(new Set(keys).size, 6); // each refund has a different key
  },
  "gives an undo the output of a call that ended after its time limit": async ({ run }) => {
    const undone: unknown[] = [];
    const definition = saga("late", 1)
      .call(
        "charge",
        ({ signal }) =>
          new Promise<string>((resolve) => signal.addEventListener("abort", () => resolve("receipt"))),
        { retry: { attempts: 1 }, timeoutMs: 20, undo: (_, output) => void undone.push(output) },
      )
      .build();
    const runner = await run([definition]);
    const { id } = await runner.start(definition, null, { key: "k" });
    const info = await waitForStatus(runner, id, "compensated");
    assert.equal(info.error?.code, "SAGA_STEP_TIMEOUT");
    assert.deepEqual(undone, ["receipt"]);
  },
  "calls each function of a step in a separate scope, with the dependencies as its last argument": async ({
    run,
  }) => {
    const Label = dependency<string>("label");
    const seen: string[] = [];
    const note = (action: string, { label }: { readonly label: string }): void =>
      void seen.push(`${action}: ${label}`);
    let isLost = true;
    const inject = { label: Label };
    const definition = saga("scopes", 1)
      .tx("reserve", (_context, _tx, own) => note("do", own), {
        inject,
        undo: (_context, _output, _tx, own) => note("undo", own),
      })
      .parallel("both", (branch) => ({
        left: branch(
          (_context, own) => {
            note("do", own);
            if (isLost) throw Object.assign(new Error("the lease is lost"), { code: "DURABLE_LOST" });
          },
          {
            inject,
            undo: (_context, _output, own) => note("undo", own),
            check(_context, own) {
              note("check", own);
              isLost = false;
              return null;
            },
          },
        ),
      }))
      .call("ship", () => {
        throw new SagaReject("no carrier");
      })
      .build();
    const scopes: StepScopes = {
      check() {},
      invoke: ({ saga: name, step, branch: { name: branch }, context }, work) =>
        work({ label: `${name} ${step.name} ${branch} ${context.attempt}` } as never),
    };
    const runner = await run([definition], { scopes });
    const { id } = await runner.start(definition, null, { key: "k" });
    await waitForStatus(runner, id, "compensated");
    assert.deepEqual(seen, [
      "do: scopes reserve  1",
      "do: scopes both left 1",
      "check: scopes both left 1",
      "do: scopes both left 1",
      "undo: scopes both left 1",
      "undo: scopes reserve  1",
    ]);
  },
  "pauses when `check` returns neither an output nor null": async ({ run }) => {
    let runs = 0;
    let result: unknown = {};
    const definition = saga("asked", 1)
      .call(
        "pay",
        (): string => {
          runs++;
          throw Object.assign(new Error("the lease is lost"), { code: "DURABLE_LOST" });
        },
        { check: () => result as null },
      )
      .build();
    const runner = await run([definition]);
    const { id } = await runner.start(definition, null, { key: "k" });
    const info = await waitForStatus(runner, id, "paused");
    assert.match(info.error?.message ?? "", /`check` of the step "pay" must return \{ output \}/);
    result = { output: "paid" };
    await runner.retry(id, because);
    assert.equal((await waitForStatus(runner, id, "completed")).steps[0]?.output, "paid");
    assert.equal(runs, 1);
  },
};
