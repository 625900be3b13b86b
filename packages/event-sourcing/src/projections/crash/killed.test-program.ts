// A process that runs projections and appends until it is killed. Arguments: the address of the database.
import { openEventStore } from "../../index.ts";
import { loanTypes } from "../../loan.test-kit.ts";
import { lend } from "../shelf.test-kit.ts";
import { chaosProjections } from "./kill.test-kit.ts";

const [connectionUrl] = process.argv.slice(2);
const store = await openEventStore({ connectionUrl, events: loanTypes, projections: chaosProjections });
process.stdout.write("open\n");
const moved = async (): Promise<number> =>
  (await store.db.fetchValue<number>(
    "SELECT CAST(sum(position) AS BIGINT) FROM framework_projection_shards",
  )) ?? 0;
const from = await moved();
for (let at = 0; ; at += 3) {
  await lend(store, 3, 7, at);
  if ((await moved()) > from) process.stdout.write("working\n"); // some process has applied events meanwhile
}
