import assert from "node:assert/strict";
import type { StandardSchema } from "@framework/core";
import type { PortFacts } from "@framework/core/testing";
import { saga } from "../definition/saga.ts";
import { waitForStatus, type RunnerFixture } from "./runner-fixture.ts";

/** Accepts objects with a number in a field, and returns the number. */
const amountIn = (field: string): StandardSchema<unknown, number> => ({
  "~standard": {
    version: 1,
    vendor: "test",
    validate(value) {
      const amount: unknown = Object(value)[field];
      return typeof amount === "number"
        ? { value: amount }
        : { issues: [{ message: `${field} is missing`, path: [field] }] };
    },
  },
});

/** Contract of instances whose version only another process defines, as in a rolling deployment. */
export const versionFacts: PortFacts<RunnerFixture> = {
  "checks a message by the schema of the instance's version, whichever version is passed to deliver": async ({
    run,
  }) => {
    const [old, next] = ["cents", "euros"].map((field, at) =>
      saga("amounts", at + 1)
        .waitFor("paid", { timeout: "1h", schema: amountIn(field) })
        .build(),
    );
    assert.ok(old !== undefined && next !== undefined);
    const runner = await run([old, next]);
    const { id } = await runner.start(old, null, { key: "k" });
    await waitForStatus(runner, id, "waiting");
    const paid = { key: "k", id: "m", name: "paid" };
    await assert.rejects(runner.deliver(next, { ...paid, data: { euros: 5 } }), {
      code: "SAGA_BAD_VALUE",
      message: 'saga: the message "paid" does not match its schema: cents: cents is missing',
    });
    assert.equal(await runner.deliver(next, { ...paid, data: { cents: 500 } }), "resumed");
    assert.equal((await waitForStatus(runner, id, "completed")).steps[0]?.output, 500);
  },
  "stores or refuses a message for an instance whose version it does not define": async ({ run }) => {
    const old = saga("versions", 1).waitFor("packed", { timeout: "1h" }).build();
    const next = saga("versions", 2)
      .waitFor("packed", { timeout: "1h" })
      .call("end", () => "ended")
      .build();
    const packed = { key: "k", id: "m", name: "packed", data: 7 };
    const newer = await run([next]);
    const { id } = await newer.start(next, null, { key: "k" });
    await waitForStatus(newer, id, "waiting");
    const older = await run([old]);
    const isKept = await older.deliver(old, packed).then(
      (delivered) => {
        assert.equal(delivered, "kept");
        return true;
      },
      (error: unknown) => {
        assert.equal((error as { readonly code?: unknown }).code, "SAGA_UNKNOWN"); // its sender tries again
        return false;
      },
    );
    const again = await run([old, next]);
    if (!isKept) assert.equal(await again.deliver(next, packed), "resumed");
    const info = await waitForStatus(again, id, "completed");
    assert.equal(info.steps.find(({ step }) => step === "packed")?.output, 7);
  },
};
