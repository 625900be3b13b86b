// One process of the test of killed workers: completes items in the transaction that writes their effects.
import { setTimeout as delay } from "node:timers/promises";
import { openDatabase } from "@framework/database";
import { createKernel } from "../feature.ts";

const { DATABASE = "" } = process.env;
const db = openDatabase({ url: DATABASE, connectionTimeoutSecs: 60, poolSize: 6 });
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
  },
});
await kernel.start();
console.log("working");

process.stdin.resume().once("end", () => process.exit()); // the test is gone
