import { databaseInSchema } from "@framework/database/testing";
import { withServer } from "@framework/services";
import { test } from "@jest/globals";
import { crashes } from "./commands/crashes.test-kit.ts";
import { executing } from "./commands/executing.test-kit.ts";
import { timeLimits } from "./commands/time-limits.test-kit.ts";
import { eventFacts } from "./events/events.test-kit.ts";
import { keys } from "./idempotency/keys.test-kit.ts";
import { queued } from "./queued/queued.test-kit.ts";
import { routeKeys } from "./routes/idempotent-routes.test-kit.ts";
import { requestTransactions } from "./routes/request-transactions.test-kit.ts";
import { syncFacts } from "./sync/sync.test-kit.ts";

/** Facts about the statements of this package: locks, rows of keys, cancelled statements. */
const own = [executing, keys, timeLimits, crashes, routeKeys, requestTransactions];
/** Those of the event store and the queue have contracts of their own on the newest server. */
const others = [eventFacts, syncFacts, queued];

withServer("postgres", (server) => {
  for (const facts of [...own, ...others]) facts(test, () => databaseInSchema(server));
});

withServer("postgres-newest", (server) => {
  for (const facts of own) facts(test, () => databaseInSchema(server));
});
