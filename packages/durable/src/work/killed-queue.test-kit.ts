import { setTimeout as delay } from "node:timers/promises";
import { type Database, openDatabase } from "@framework/database";
import { createKernel, type OwnKernel } from "../feature.ts";

/** A process that completes items in the transaction of their effects, once `kernel.start()` is called; calls `onEffect` after each effect. */
export const killedWorker = (
  url: string,
  onEffect: () => void = () => {},
): { readonly db: Database; readonly kernel: OwnKernel } => {
  const db = openDatabase({ url, connectionTimeoutSecs: 60, poolSize: 6 });
  const config = { leaseMs: 600_000, pollMinMs: 5, pollMaxMs: 50 };
  const kernel = createKernel(db, { config, log: { info() {}, warn() {}, error: console.error } });
  kernel.queue<number>({
    name: "killed",
    concurrency: 4,
    retry: { attempts: 1000, delayMs: 1 },
    async handle(item) {
      await delay(item.payload % 5);
      if (item.attempt % 3 === 2) throw new Error("another attempt");
      await db.transaction(async (tx) => {
        await tx.execute`INSERT INTO effects (item, key) VALUES (${item.payload}, ${item.key})`;
        await item.complete(tx);
      });
      onEffect();
    },
  });
  return { db, kernel };
};
