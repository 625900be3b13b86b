// A process that appends and runs projections from the go signal until it is killed. It reports that it has begun after its first append. Environment: DATABASE, a URL.
import { openDatabase } from "@framework/database";
import { hasBegun, untilGo } from "@framework/warm-processes";
import { openEventStore } from "../../index.ts";
import { Extended, loanTypes } from "../../loan.test-kit.ts";
import { appendLoans } from "../shelf.test-kit.ts";
import { killedDesk, killedShelf } from "./killed-views.test-kit.ts";

const log = { info() {}, warn() {}, error: console.error };
const db = openDatabase({ url: process.env["DATABASE"] ?? "", connectionTimeoutSecs: 60, poolSize: 6 });
await db.fetchValue("SELECT 1");
await untilGo();
const projections = [killedShelf(), killedDesk];
const store = await openEventStore({ events: loanTypes, projections }, { db, log });
for (let at = 0; ; at += 3) {
  await store.append(`own-${process.pid}`, Extended({ days: 1 }));
  if (at === 0) hasBegun();
  await appendLoans(store, 3, 7, at);
}
