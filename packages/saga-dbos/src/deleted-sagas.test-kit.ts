// Deletion of sagas on DBOS.
import { saga } from "@framework/saga";
import { waitFor } from "@framework/testing";
import { expect } from "@jest/globals";
import { dbos } from "./driver/dbos-sdk.ts";
import { sweep } from "./engine/sweep.ts";
import { type Fact, waitForStatus } from "./testing/fact.test-kit.ts";

export const deletedFacts = (fact: Fact): void => {
  fact("a key that is used again after its saga was deleted runs its tx step again", async (fixture) => {
    const definition = saga("reused", 1)
      .tx("take", async ({ key }, tx) => void (await tx.execute`INSERT INTO places (name) VALUES (${key})`))
      .build();
    const runner = await fixture.run([definition]);
    const { db } = fixture.open();
    await db.execute("CREATE TABLE places (name TEXT NOT NULL)");
    for (const _ of [1, 2]) {
      const { id, isNew } = await runner.start(definition, null, { key: "k" });
      expect(isNew).toBe(true);
      await waitForStatus(runner, id, "completed");
      // Simulates the end of the retention; DBOS completes the workflow shortly after the saga.
      const isSwept = async (): Promise<boolean> => {
        await sweep({ db }, -60);
        return (await runner.get(id)) === null;
      };
      await waitFor(isSwept, { subject: "the saga to be deleted", timeoutMs: 60_000 });
    }
    expect(await db.query`SELECT name FROM places`).toEqual([{ name: "k" }, { name: "k" }]);
  });

  fact("a saga is deleted even if its version is no longer defined, and its key is free", async (fixture) => {
    const old = saga("replaced", 1)
      .call("a", () => 1)
      .build();
    const next = saga("replaced", 2)
      .call("a", () => 1)
      .call("b", () => 2)
      .build();
    const first = await fixture.run([old]);
    const { id } = await first.start(old, null, { key: "k" });
    await waitForStatus(first, id, "completed");
    await waitFor(async () => (await dbos().getWorkflowStatus(id))?.status === "SUCCESS", {
      timeoutMs: 60_000,
    });
    await fixture.stop();
    const second = await fixture.run([next]);
    await sweep(fixture.open(), -60);
    const again = await second.start(next, null, { key: "k" });
    expect(again.isNew).toBe(true);
    await waitForStatus(second, again.id, "completed");
  });
};
