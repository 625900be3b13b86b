import { withServer } from "@framework/services";
import { expect, test } from "@jest/globals";
import { postgresFixture } from "../contract/open-fixture.test-kit.ts";
import { plain } from "../contract/store-fixture.ts";

withServer("postgres", (server) => {
  test("readers do not wait for open appends of a store in another schema", async () => {
    await using theirs = await postgresFixture(server);
    await using ours = await postgresFixture(server);
    const [their, our] = [await theirs.open(), await ours.open()];
    await theirs.db.transaction(async (slow) => {
      await their.append("slow-1", plain("A"), { tx: slow });
      const undone = ours.db.transaction(async (tx) => {
        await our.append("undone-1", plain("A"), { tx });
        throw new Error("undo");
      });
      await expect(undone).rejects.toThrow("undo");
      await our.append("fast-1", plain("A"));
      const { events, state } = await our.readAll();
      expect([events.map(({ stream }) => stream), state]).toEqual([["fast-1"], "end"]);
    });
  }, 120_000);
});
