import { openDatabase } from "@framework/database";
import { databaseInSchema } from "@framework/database/testing";
import { withServer } from "@framework/services";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { createKernel } from "../feature.ts";

const LEASE_MS = 15_000;
const POOL = 2;

withServer("postgres", (server) => {
  test("leases are renewed while the transactions of handlers hold every connection of the pool", async () => {
    await using schema = await databaseInSchema(server);
    const db = openDatabase({ url: schema.url, poolSize: POOL });
    const observer = openDatabase({ url: schema.url });
    const log = { info() {}, warn() {}, error: console.error };
    const kernel = createKernel(db, { config: { leaseMs: LEASE_MS, pollMinMs: 5, pollMaxMs: 10 }, log });
    const end = Promise.withResolvers<void>();
    const attempts: string[] = [];
    const queue = kernel.queue<"completes first" | "completes last">({
      name: "settle",
      concurrency: POOL,
      keepSecs: 600,
      handle: (item) =>
        db.transaction(async (tx) => {
          if (item.payload === "completes first") await item.complete(tx);
          attempts.push(item.payload);
          await end.promise;
          if (item.payload === "completes last") await item.complete(tx);
        }),
    });
    await kernel.start();
    await queue.enqueue([{ payload: "completes first" }, { payload: "completes last" }]);
    await waitFor(() => attempts.length === POOL, { subject: "both transactions", timeoutMs: 60_000 });
    const leaseEnd = (): Promise<number | null> =>
      observer.fetchValue<number>`SELECT max(wake_at) FROM framework_work`;
    for (const subject of ["the first renewal", "the second renewal"]) {
      const before = (await leaseEnd()) ?? 0;
      await waitFor(async () => ((await leaseEnd()) ?? 0) > before, { subject, timeoutMs: 60_000 });
    }
    end.resolve();
    const isDone = async (): Promise<boolean> => {
      const { items } = await queue.list({ state: "done" });
      return items.length === POOL;
    };
    await waitFor(isDone, { subject: "both items", timeoutMs: 60_000 });
    expect(attempts).toHaveLength(POOL);
    await kernel.stop();
    await Promise.all([db.close(), observer.close()]);
  }, 240_000);
});
