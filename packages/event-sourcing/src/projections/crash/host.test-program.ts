// A host of hosts.int.test.ts: runs versions of a projection until SIGTERM. Environment: DATABASE, HOST, VERSIONS.
import { openDatabase } from "@framework/database";
import { createKernel } from "@framework/durable/feature";
import { EventSourcingConfig } from "../../event-sourcing-config.ts";
import { loanTypes } from "../../loan.test-kit.ts";
import { storeOn } from "../../open-event-store.ts";
import { setUpStore } from "../../store-setup.ts";
import { killedShelf } from "./killed-views.test-kit.ts";

const { DATABASE = "", HOST = "", VERSIONS = "" } = process.env;
const log = { info() {}, warn() {}, error: console.error };
const db = openDatabase({ url: DATABASE, connectionTimeoutSecs: 60, poolSize: 6 });
const kernel = createKernel(db, {
  log,
  config: { leaseMs: 1500, pollMinMs: 10, pollMaxMs: 100 },
  place: () => ({ id: HOST, pid: process.pid, started: null, isGone: () => false }), // other hosts cannot see this process
});
const projections = VERSIONS.split(",").map((version) => killedShelf(Number(version)));
const config = EventSourcingConfig.of({ events: loanTypes, projections });
const parts = storeOn({ kernel, log: () => log, currentMetadata: () => ({}) }, config);
await kernel.start();
await setUpStore(parts.base);
await parts.projections.start();
process.stdin.resume().once("end", () => process.exit()); // the test process has ended
process.once("SIGTERM", async () => {
  await kernel.drain();
  await kernel.stop();
  await db.close();
  process.exit(0);
});
console.log("up");
