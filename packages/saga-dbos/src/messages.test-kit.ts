// Deduplication of messages.
import { sql } from "@framework/database";
import { saga, type SagaRunner } from "@framework/saga";
import { MAX_MESSAGES } from "@framework/saga/feature";
import { waitFor } from "@framework/testing";
import { expect } from "@jest/globals";
import { dbos } from "./driver/dbos-sdk.ts";
import { DELIVERY } from "./engine/delivery.ts";
import { sweep } from "./engine/sweep.ts";
import { type Fact, waitForStatus } from "./testing/fact.test-kit.ts";

const waits = saga("waits", 1).waitFor("news", { timeout: "1h" }).waitFor("early", { timeout: "1h" }).build();

export const messageFacts = (fact: Fact): void => {
  fact(
    "a saga with the maximum number of messages refuses a new one, and recognises a repeated one",
    async (fixture) => {
      const deliver = (runner: SagaRunner, messageId: string) =>
        runner.deliver(waits, { key: "k", id: messageId, name: "early" });
      const first = await fixture.run([waits]);
      const { id } = await first.start(waits, null, { key: "k" });
      await waitForStatus(first, id, "waiting");
      expect(await deliver(first, "first")).toBe("kept");
      // Simulates that the saga has received the maximum; it has read at most one message.
      const workflows = sql.identifier(fixture.storage.schema, "workflow_status");
      await fixture.open().db.execute`INSERT INTO ${workflows}
      SELECT (jsonb_populate_record(delivery, jsonb_build_object('workflow_uuid', workflow_uuid || number))).*
      FROM ${workflows} delivery, generate_series(1, ${MAX_MESSAGES - 1}::int) number
      WHERE name = ${DELIVERY}`;
      await expect(deliver(first, "one too many")).rejects.toMatchObject({ status: 409 });
      expect(await deliver(first, "first")).toBe("repeated");
    },
  );

  fact("a message is recognised as long as its saga is kept, and no longer", async (fixture) => {
    const runner = await fixture.run([waits]);
    const { db } = fixture.open();
    const sweepAll = (): Promise<void> => sweep({ db }, -60);
    const deliveries = () => dbos().listWorkflows({ workflowName: DELIVERY });
    const deliver = (name: string) => runner.deliver(waits, { key: "k", id: name, name });
    const { id } = await runner.start(waits, null, { key: "k" });
    await waitForStatus(runner, id, "waiting");
    expect(await deliver("early")).toBe("kept");
    await sweepAll();
    expect(await deliver("early")).toBe("repeated");
    expect(await deliver("news")).toBe("resumed");
    const isSwept = async (): Promise<boolean> => {
      await sweepAll();
      return (await runner.get(id)) === null;
    };
    await waitFor(isSwept, { subject: "the saga to be deleted", timeoutMs: 60_000 });
    expect(await deliveries()).toEqual([]);
    await runner.start(waits, null, { key: "k" });
    expect(await deliver("early")).toBe("kept");
  });
};
