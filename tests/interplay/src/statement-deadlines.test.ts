import { databaseInFile } from "@framework/database/testing";
import { test } from "@jest/globals";
import { testStatementDeadlines } from "./statement-deadlines.test-kit.ts";

testStatementDeadlines(test, {
  open: () => databaseInFile(),
  statement: "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT count(*) FROM c",
  countRunning: null,
});
