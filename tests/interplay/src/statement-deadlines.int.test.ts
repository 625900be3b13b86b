import { databaseInSchema } from "@framework/database/testing";
import { withServer } from "@framework/services";
import { test } from "@jest/globals";
import { testStatementDeadlines } from "./statement-deadlines.test-kit.ts";

withServer("postgres", (server) =>
  testStatementDeadlines(test, {
    open: () => databaseInSchema(server),
    statement: "SELECT pg_sleep(600), 'endless'",
    countRunning:
      "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%''endless''' AND state = 'active'",
  }),
);
