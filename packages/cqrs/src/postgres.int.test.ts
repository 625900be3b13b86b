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
import { syncFacts } from "./sync/sync.test-kit.ts";

withServer("postgres", (server) => {
  const place = () => databaseInSchema(server);
  executing(test, place);
  keys(test, place);
  timeLimits(test, place);
  crashes(test, place);
  eventFacts(test, place);
  routeKeys(test, place);
  syncFacts(test, place);
  queued(test, place);
});
