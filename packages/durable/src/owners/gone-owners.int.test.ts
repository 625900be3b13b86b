import { withServer } from "@framework/services";
import { expect, test } from "@jest/globals";
import { createKernel } from "../feature.ts";
import { postgresSchema } from "../testing/open-databases.test-kit.ts";
import {
  claimForDead,
  lateClaims,
  registerDead,
  waitForSweep,
  waitUntilDone,
  workerOn,
} from "./gone-owners.test-kit.ts";

withServer("postgres", (server) => {
  const make = () => postgresSchema(server);
  lateClaims(test, make);

  test("an item that a transaction of the dead process still locks is taken over when the transaction has ended", async () => {
    await using database = await make();
    const db = database.open();
    const producer = createKernel(db, { config: { runWork: false } });
    const queue = producer.queue<string>({ name: "mail", handle: () => {} });
    await producer.start();
    await registerDead(db);
    await queue.enqueue({ payload: "locked" });
    await claimForDead(db);
    const worker = workerOn(database.open());
    await db.transaction(async (tx) => {
      await tx.query("SELECT id FROM framework_work FOR UPDATE");
      await worker.kernel.start();
      await waitForSweep(worker);
      expect(worker.done).toEqual(["first"]);
    });
    await waitUntilDone(worker.done, "locked");
    await worker.kernel.stop();
    await producer.stop();
  }, 120_000);
});
