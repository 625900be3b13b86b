// Sagas of lost processes.
import { sql } from "@framework/database";
import { saga } from "@framework/saga";
import { expect } from "@jest/globals";
import { dbos } from "./driver/dbos-sdk.ts";
import { type Fact, waitForStatus } from "./testing/fact.test-kit.ts";

const reason = "the test";
const waits = saga("waits", 1).waitFor("news", { timeout: "1h" }).build();

export const lostProcessFacts = (fact: Fact): void => {
  fact(
    "the sagas of a lost process are taken over, even if other processes have many older ones",
    async (fixture) => {
      const runner = await fixture.run([waits], { maxOpen: 1 });
      const { db, kernel } = fixture.open();
      const living = await kernel.acquireLease("saga-dbos", "7");
      expect(living).not.toBeNull();
      const { id } = await runner.start(waits, null, { key: "here" });
      await waitForStatus(runner, id, "waiting");
      const lost = await runner.start(waits, null, { key: "lost" });
      const workflows = sql.identifier(fixture.storage.schema, "workflow_status");
      await db.execute`INSERT INTO ${workflows}
        SELECT (jsonb_populate_record(workflow, jsonb_build_object('executor_id', 'saga-7', 'workflow_uuid', 'w' || number))).*
        FROM ${workflows} workflow, generate_series(1, 2000) number WHERE workflow_uuid = ${id}`;
      await db.execute`UPDATE ${workflows} SET status = 'PENDING', executor_id = 'saga-9', created_at = created_at + 60000
        WHERE workflow_uuid = ${lost.id}`;
      await runner.deliver(waits, { key: "here", id: "m", name: "news" });
      await waitForStatus(runner, lost.id, "waiting");
      expect((await runner.get(id))?.status).toBe("completed");
    },
  );

  fact("a saga that DBOS has recovered 5,000 times still waits and continues", async (fixture) => {
    const first = await fixture.run([waits]);
    const { id } = await first.start(waits, null, { key: "k" });
    await waitForStatus(first, id, "waiting");
    const workflows = sql.identifier(fixture.storage.schema, "workflow_status");
    await fixture.open().db
      .execute`UPDATE ${workflows} SET recovery_attempts = 5000 WHERE workflow_uuid = ${id}`;
    await fixture.stop();
    const second = await fixture.run([waits]);
    expect(await second.deliver(waits, { key: "k", id: "m", name: "news" })).toBe("resumed");
    await waitForStatus(second, id, "completed");
  });

  fact("a cancellation is read before the attempt of a lost process is repeated", async (fixture) => {
    const { promise: began, resolve: begin } = Promise.withResolvers<void>();
    const calls: string[] = [];
    const deadly = saga("deadly", 1)
      .call("kill", () => (calls.push("call"), begin(), new Promise(() => {})), {
        undo: () => void calls.push("undo"),
      })
      .build();
    const first = await fixture.run([deadly]);
    const { id } = await first.start(deadly, null, { key: "k" });
    await began;
    expect(await first.cancel(id, { reason })).toBe(true);
    await fixture.stop();
    const second = await fixture.run([deadly]);
    await waitForStatus(second, id, "compensated");
    expect(calls).toEqual(["call", "undo"]);
    expect((await second.timeline(id)).map(({ event }) => event)).toEqual(["start", "cancel", "restore"]);
  });

  fact("a check may be added, and removed, while instances run", async (fixture) => {
    const withCheck = saga("paid", 1)
      .call("pay", () => "paid", { check: () => null })
      .waitFor("news", { timeout: "1h" })
      .build();
    const withoutCheck = saga("paid", 1)
      .call("pay", () => "paid")
      .waitFor("news", { timeout: "1h" })
      .build();
    const first = await fixture.run([withoutCheck]);
    const { id } = await first.start(withoutCheck, null, { key: "1" });
    await waitForStatus(first, id, "waiting");
    await fixture.stop();
    const second = await fixture.run([withCheck]);
    await second.deliver(withCheck, { key: "1", id: "m", name: "news" });
    await waitForStatus(second, id, "completed");
    const { id: other } = await second.start(withCheck, null, { key: "2" });
    await waitForStatus(second, other, "waiting");
    await fixture.stop();
    const third = await fixture.run([withoutCheck]);
    await third.deliver(withoutCheck, { key: "2", id: "m", name: "news" });
    await waitForStatus(third, other, "completed");
  });

  fact("a saga that DBOS has stopped can only be retried or cancelled", async (fixture) => {
    const runner = await fixture.run([waits]);
    const { id } = await runner.start(waits, null, { key: "k" });
    await waitForStatus(runner, id, "waiting");
    await dbos().cancelWorkflow(id);
    await waitForStatus(runner, id, "paused");
    await expect(runner.skip(id, { reason })).rejects.toMatchObject({ status: 409 });
    await expect(runner.settle(id, { reason })).rejects.toMatchObject({ status: 409 });
    expect(await runner.retry(id, { reason })).toBe(true);
    await waitForStatus(runner, id, "waiting");
    await dbos().cancelWorkflow(id);
    await waitForStatus(runner, id, "paused");
    expect(await runner.cancel(id, { reason })).toBe(true);
    await waitForStatus(runner, id, "compensated");
  });

  fact("a saga whose workflow has failed in DBOS refuses all decisions", async (fixture) => {
    const runner = await fixture.run([waits]);
    const { id } = await runner.start(waits, null, { key: "k" });
    await waitForStatus(runner, id, "waiting");
    const workflows = sql.identifier(fixture.storage.schema, "workflow_status");
    await fixture.open().db.execute`UPDATE ${workflows} SET status = 'ERROR' WHERE workflow_uuid = ${id}`;
    expect((await runner.get(id))?.status).toBe("paused");
    for (const verb of ["cancel", "retry", "skip", "settle"] as const)
      await expect(runner[verb](id, { reason })).rejects.toMatchObject({ status: 409 });
  });
};
