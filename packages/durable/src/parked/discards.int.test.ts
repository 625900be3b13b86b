import { withServer } from "@framework/services";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { createKernel, failureOf } from "../feature.ts";
import { postgresSchema } from "../testing/open-databases.test-kit.ts";

withServer("postgres", (server) => {
  test("items are discarded in one order, whatever the order of their ids, so that concurrent calls cannot deadlock", async () => {
    await using storage = await postgresSchema(server);
    const db = storage.open();
    const kernel = createKernel(db, { log: { info() {}, warn() {}, error() {} } });
    kernel.parked.add({ source: "letters", replay: async () => {} });
    await kernel.start();
    const letter = { source: "letters", name: "outbox", key: null, lane: 0, payload: "1", headers: null };
    const failure = { failure: failureOf(new Error("no")), attempts: 1, firstAt: 1, detail: null };
    for (let parked = 0; parked < 2; parked++)
      await db.transaction((tx) => kernel.parked.park(tx, { ...letter, ...failure }));
    const [first = "", second = ""] = (await kernel.parked.list({})).items.map(({ id }) => id);
    const lock = (id: string) => `SELECT 1 FROM framework_parked WHERE id = ${id} FOR UPDATE NOWAIT`;
    const { discarded } = await storage.open().transaction(async (tx) => {
      await tx.query(lock(first));
      const call = kernel.parked.discard([second, first], { note: "not needed" });
      const waiting =
        "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%''discarded''%'";
      await waitFor(async () => (await db.fetchValue(waiting)) !== 0);
      await tx.query(lock(second)); // fails if the call already holds the second item
      return { discarded: call };
    });
    expect(await discarded).toBe(2);
    await kernel.stop();
  });
});
