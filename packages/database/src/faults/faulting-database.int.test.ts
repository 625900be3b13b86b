import { withServer } from "@framework/services";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { DatabaseUnavailableError, openDatabase } from "../index.ts";
import { databaseInSchema } from "../testing.ts";
import { crashAtEachStatement, faultingDatabase } from "../testing.ts";
import { rowsAfter, comparedCrashes, table } from "./crash-scenario.test-kit.ts";
import { crashes } from "./crashes.test-kit.ts";
import { killedAt } from "./killed-at.test-kit.ts";

withServer("postgres", (server) => {
  const inSchema = async () => {
    const schema = await databaseInSchema(server);
    const db = openDatabase({ url: schema.url });
    const dispose = async (): Promise<void> => {
      await db.close();
      await schema[Symbol.asyncDispose]();
    };
    return Object.assign(db, { url: schema.url, [Symbol.asyncDispose]: dispose });
  };

  crashes(test, inSchema);

  test.each(comparedCrashes)(
    "a process that is killed $when statement $at leaves the same rows as a simulated crash",
    async (crash) => {
      await using db = await inSchema();
      await db.execute(table);
      const name = `killed_${process.pid}`;
      await killedAt(crash, `${db.url}&application_name=${name}`);
      const sessions = () =>
        db.fetchValue`SELECT count(*) FROM pg_stat_activity WHERE application_name = ${name}`;
      await waitFor(async () => (await sessions()) === 0, { timeoutMs: 60_000 });
      const rows = rowsAfter(crash).map((id) => ({ id }));
      expect(await db.query("SELECT id FROM things ORDER BY id")).toEqual(rows);
    },
  );

  test("a statement that waits for a lock at the fault is cancelled", async () => {
    await using db = await inSchema();
    await db.execute("CREATE TABLE counter (n INTEGER)");
    await db.execute("INSERT INTO counter VALUES (0)");
    const waits = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query = $1";
    const isWaiting = async () => (await db.fetchValue(waits, ["UPDATE counter SET n = 2"])) === 1;
    await db.transaction(async (tx) => {
      await tx.execute("UPDATE counter SET n = 1");
      const faulting = faultingDatabase(db, { at: 3 });
      const change = faulting.transaction((own) => own.execute("UPDATE counter SET n = 2"));
      await waitFor(isWaiting, { timeoutMs: 60_000 });
      await expect(faulting.query("SELECT 1")).rejects.toThrow(DatabaseUnavailableError);
      await expect(change).rejects.toThrow(DatabaseUnavailableError);
      await faulting.close();
      await waitFor(async () => !(await isWaiting()), { timeoutMs: 60_000 });
    });
    expect(await db.fetchValue("SELECT n FROM counter")).toBe(1);
  });

  test("each attempt of a transaction counts, if it runs again after a serialisation failure", async () => {
    await using db = await inSchema();
    await db.execute("CREATE TABLE counter (n INTEGER)");
    const crashCount = await crashAtEachStatement(async (crash) => {
      await db.execute("DELETE FROM counter");
      await db.execute("INSERT INTO counter VALUES (0)");
      const faulting = faultingDatabase(db, crash);
      let attempts = 0;
      let expected = 0;
      const increment = faulting.transaction(
        async (tx) => {
          const n = (await tx.fetchValue<number>("SELECT n FROM counter")) ?? 0;
          if (attempts++ === 0) expected += (await db.execute("UPDATE counter SET n = n + 1")).changes;
          await tx.execute`UPDATE counter SET n = ${n + 1}`;
        },
        { isolation: "repeatable read" },
      );
      await increment.catch(() => {});
      if (crash.at > 8 || (crash.at === 8 && crash.when === "after")) expected++;
      expect(await db.fetchValue("SELECT n FROM counter")).toBe(expected);
      return faulting;
    });
    expect(crashCount).toBe(2 * 8); // BEGIN, SELECT, UPDATE, ROLLBACK; BEGIN, SELECT, UPDATE, COMMIT
  });
});
