// One process of the takeover tests: runs lanes, each of which writes rows.
// Prints its lanes when they change. A new lane counts when this process has written its first row.
import { setTimeout as delay } from "node:timers/promises";
import { openDatabase } from "@framework/database";
import { createKernel } from "./feature.ts";

const { DATABASE = "", LEASE_MS = "" } = process.env;
const db = openDatabase({ url: DATABASE, connectionTimeoutSecs: 60, poolSize: 4 });
const config = { leaseMs: Number(LEASE_MS), pollMinMs: 10, pollMaxMs: 100 };
const kernel = createKernel(db, { config, log: { info() {}, warn() {}, error: console.error } });
await kernel.start();

const written = new Set<number>();
kernel.lanes({
  kind: "takeover",
  count: 4,
  async run({ lane, fence, signal, check }) {
    try {
      while (!signal.aborted) {
        await db.transaction(async (tx) => {
          await check(tx);
          await tx.execute`INSERT INTO ledger (lane, fence, pid) VALUES (${lane}, ${fence}, ${process.pid})`;
        });
        written.add(lane);
        await delay(5);
      }
    } finally {
      written.delete(lane);
    }
  },
});

let printed = "";
setInterval(() => {
  const held = JSON.stringify([...written]);
  if (held !== printed) console.log(held);
  printed = held;
}, 10);

process.stdin.resume().once("end", () => process.exit()); // the test process has ended
process.once("SIGTERM", async () => {
  await kernel.stop();
  await db.close();
  process.exit(0);
});
