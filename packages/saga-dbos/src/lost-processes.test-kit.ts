// What becomes of the sagas of processes that are gone.
import { sql } from "@framework/database";
import { saga } from "@framework/saga";
import { expect } from "@jest/globals";
import { type Fact, inStatus } from "./testing/fact.test-kit.ts";

const waits = saga("waits", 1).waitFor("news", { timeout: "1h" }).build();

export const lostProcessFacts = (fact: Fact): void => {
  fact(
    "the sagas of a lost process are taken over, however many older ones the living have",
    async (fixture) => {
      const runner = await fixture.run([waits], { maxOpen: 1 });
      const { db, kernel } = fixture.open();
      const living = await kernel.acquireLease("saga-dbos", "7");
      expect(living).not.toBeNull();
      const { id } = await runner.start(waits, null, { key: "here" });
      await inStatus(runner, id, "waiting");
      const lost = await runner.start(waits, null, { key: "lost" });
      const workflows = sql.identifier(fixture.place.schema, "workflow_status");
      await db.execute`INSERT INTO ${workflows}
        SELECT (jsonb_populate_record(workflow, jsonb_build_object('executor_id', 'saga-7', 'workflow_uuid', 'w' || number))).*
        FROM ${workflows} workflow, generate_series(1, 2000) number WHERE workflow_uuid = ${id}`;
      await db.execute`UPDATE ${workflows} SET status = 'PENDING', executor_id = 'saga-9', created_at = created_at + 60000
        WHERE workflow_uuid = ${lost.id}`;
      await runner.deliver(waits, { key: "here", id: "m", name: "news" });
      await inStatus(runner, lost.id, "waiting");
      expect((await runner.get(id))?.status).toBe("completed");
    },
  );
};
