import { withServer } from "@framework/services";
import { afterAll, test } from "@jest/globals";
import { crashes } from "./commands/crashes.test-kit.ts";
import { executing } from "./commands/executing.test-kit.ts";
import { failures } from "./commands/failures.test-kit.ts";
import { timeLimits } from "./commands/time-limits.test-kit.ts";
import { unknownOutcomes } from "./commands/unknown-outcomes.test-kit.ts";
import { eventFacts } from "./events/events.test-kit.ts";
import { storedResults } from "./idempotency/stored-results.test-kit.ts";
import { keys } from "./idempotency/keys.test-kit.ts";
import { oneSchema } from "./one-schema.test-kit.ts";
import { commandStatus } from "./queued/command-status.test-kit.ts";
import { queued } from "./queued/queued.test-kit.ts";
import { heldRouteKeys } from "./routes/held-route-keys.test-kit.ts";
import { routeKeys } from "./routes/idempotent-routes.test-kit.ts";
import { requestTransactions } from "./routes/request-transactions.test-kit.ts";
import { syncFacts } from "./sync/sync.test-kit.ts";

/** Contract tests of behaviour that may differ between server releases: locks, rows of idempotency keys, cancelled statements. */
const serverDependent = [executing, failures, keys, timeLimits, crashes, heldRouteKeys];
const others = [
  storedResults,
  unknownOutcomes,
  routeKeys,
  requestTransactions,
  queued,
  commandStatus,
  eventFacts,
  syncFacts,
];

const onServer = (server: string, contracts: readonly (typeof executing)[]): void =>
  withServer(server, (url) => {
    const databases = oneSchema(url);
    afterAll(async () => {
      await databases[Symbol.asyncDispose]();
    });
    for (const contract of contracts) contract(test, databases);
  });

onServer("postgres", [...serverDependent, ...others]);
onServer("postgres-newest", serverDependent);
