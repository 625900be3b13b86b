import { withServer } from "@framework/services";
import { expect, test } from "@jest/globals";
import { postgresFixture } from "../contract/open-fixture.test-kit.ts";
import { plain } from "../contract/store-fixture.ts";

withServer("postgres", (server) => {
  test("readers do not wait for open appends of a store in another schema", async () => {
    await using otherFixture = await postgresFixture(server);
    await using fixture = await postgresFixture(server);
    const [otherStore, store] = [await otherFixture.open(), await fixture.open()];
    await otherFixture.db.transaction(async (slow) => {
      await otherStore.append("slow-1", plain("A"), { tx: slow });
      const rollback = fixture.db.transaction(async (tx) => {
        await store.append("undone-1", plain("A"), { tx });
        throw new Error("undo");
      });
      await expect(rollback).rejects.toThrow("undo");
      await store.append("fast-1", plain("A"));
      const { events, state } = await store.readAll();
      expect([events.map(({ stream }) => stream), state]).toEqual([["fast-1"], "end"]);
    });
  }, 120_000);
});
