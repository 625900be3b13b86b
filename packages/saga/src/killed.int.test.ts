import { openDatabase } from "@framework/database";
import { databaseInSchema } from "@framework/database/testing";
import { startPostgres, withServer } from "@framework/services";
import { waitFor } from "@framework/testing";
import { test } from "@jest/globals";
import { expectEachOnce, killFacts, openSagas, sagasOn } from "./killed.test-kit.ts";
import { EFFECTS } from "./killed.test-sagas.ts";

const SAGAS = Number(process.env["FRAMEWORK_KILL_SAGAS"] ?? 150);

withServer("postgres", (server) => {
  killFacts(test, () => databaseInSchema(server));

  test("running and waiting sagas end once when PostgreSQL is killed and restarted", async () => {
    await using own = await startPostgres({ fsync: true });
    const db = openDatabase({ url: own.url, connectionTimeoutSecs: 1 });
    const { kernel, runner, definition } = await sagasOn(db, { runs: true, leaseMs: 2000 });
    await db.transaction((tx) => tx.script(EFFECTS));
    const ids = new Map<string, string>();
    for (let key = 1; key <= SAGAS; key++)
      ids.set(String(key), (await runner.start(definition, null, { key: String(key) })).id);
    for (const part of [0.8, 0.4]) {
      await waitFor(async () => (await openSagas(db)) <= part * SAGAS, {
        subject: `${part} of the sagas`,
        timeoutMs: 600_000,
      });
      await own.kill();
      await own.start();
    }
    const isOver = (): Promise<boolean> =>
      openSagas(db).then(
        (open) => open === 0,
        () => false,
      );
    await waitFor(isOver, { subject: "the end of every saga", timeoutMs: 600_000 });
    await expectEachOnce(db, ids);
    await kernel.stop();
    await db.close();
  }, 1_800_000);
});
