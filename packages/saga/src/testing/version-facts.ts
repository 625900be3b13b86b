import assert from "node:assert/strict";
import type { PortFacts } from "@framework/core/testing";
import { saga } from "../definition/saga.ts";
import { inStatus, type RunnerFixture } from "./runner-fixture.ts";

/** Facts about instances whose version only another process has, as in a rolling deployment. */
export const versionFacts: PortFacts<RunnerFixture> = {
  "keeps or refuses a message for an instance of a version that it does not have": async ({ run }) => {
    const old = saga("versions", 1).waitFor("packed", { timeout: "1h" }).build();
    const next = saga("versions", 2)
      .waitFor("packed", { timeout: "1h" })
      .call("end", () => "ended")
      .build();
    const packed = { key: "k", id: "m", name: "packed", data: 7 };
    const newer = await run([next]);
    const { id } = await newer.start(next, null, { key: "k" });
    await inStatus(newer, id, "waiting");
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
    const info = await inStatus(again, id, "completed");
    assert.equal(info.steps.find(({ step }) => step === "packed")?.output, 7);
  },
};
