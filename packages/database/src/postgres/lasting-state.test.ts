import { expect, test } from "@jest/globals";
import { leavesState } from "./lasting-state.ts";

test.each([
  "SET search_path TO nowhere",
  "  set session authorization bob",
  "-- why\n/* of ** all */ SET ROLE bob",
  "/* one /* within */ another */ SET ROLE bob",
  "SELECT 1; SET ROLE bob",
  "SELECT E'it\\'s'; SET x TO 'y'",
  "SELECT 'it''s'; SET x TO 'y'",
  "LISTEN news",
  "PREPARE a AS SELECT 1",
  "DEALLOCATE ALL",
  "DISCARD ALL",
  "LOAD 'auto_explain'",
  "DECLARE c CURSOR WITH HOLD FOR SELECT 1",
  "CREATE TEMP TABLE mine (n int)",
  "create local temporary table mine (n int)",
  "CREATE OR REPLACE TEMP VIEW mine AS SELECT 1",
  "CREATE TABLE pg_temp.mine (n int)",
  "SELECT 1 AS n INTO TEMP mine",
  'SELECT 1 AS n INTO TEMP "mine"',
  "WITH a AS (SELECT 1 AS n) SELECT n INTO TEMPORARY TABLE mine FROM a",
  "SELECT pg_advisory_lock(1)",
  "SELECT pg_try_advisory_lock_shared(1, 2)",
  "SELECT set_config('app.user', $1, false)",
  "SELECT set_config('app.user', lower(coalesce($1, '')), false)",
  "SELECT set_config('search_path', quote_ident($1), 'f')",
  "SELECT set_config('app.user', $1, $2)",
  "SELECT pg_catalog.\"set_config\"('app.user', (SELECT name FROM users), FALSE)",
  "SELECT set_config('a', $1, true), set_config('b', $1, false)",
  "DO $$ BEGIN SET app.user = 'y'; END $$",
  "SELECT $$it's$$ || set_config('search_path', 'a', false)",
  "SELECT $q$ don't $q$, pg_advisory_lock(42)",
  'SELECT $q$ " -- /* $q$; SET ROLE bob',
  "SELECT name$$, 'it', pg_advisory_lock(42), '$$'",
  "SELECT 1 --x\r; SET ROLE bob",
  "SELECT 1;/* why */--x\n\t SET ROLE bob",
  "UPDATE pg_settings SET setting = 'a' WHERE name = 'search_path'",
  "WITH a AS (UPDATE pg_catalog.\"pg_settings\" SET setting = 'a') SELECT 1",
  'CREATE TABLE "pg_temp".mine (n int)',
])("a statement that changes the session of its connection is recognised: %s", (text) => {
  expect(leavesState(text)).toBe(true);
});

test.each([
  "SELECT 1 AS temp",
  "SELECT 'CREATE TEMP TABLE x'",
  "SELECT temp FROM readings -- ; SET x",
  'SELECT "; SET x" FROM readings',
  "INSERT INTO temp (n) VALUES (1)",
  "INSERT INTO temp SELECT 1",
  "MERGE INTO temp USING b ON true WHEN MATCHED THEN DELETE",
  "CREATE TABLE temp (n int)",
  "UPDATE settings SET temp = 1",
  "SET LOCAL statement_timeout TO 77",
  "SET TRANSACTION READ ONLY",
  "SET CONSTRAINTS ALL DEFERRED",
  "DECLARE hold CURSOR FOR SELECT 1",
  "SELECT prepare FROM readings",
  "SELECT pg_advisory_xact_lock(1)",
  "SELECT set_config('app.user', $1, true), 'false'",
  "SELECT set_config('app.user', lower($1), TRUE)",
  "INSERT INTO a (n) VALUES (1) ON CONFLICT DO NOTHING",
  "SELECT $$ ; SET ROLE bob; SELECT pg_advisory_lock(1) $$",
  "SELECT /* one /* within */ ; SET ROLE bob */ 1",
  "SELECT setting FROM pg_settings WHERE name = 'update'",
])("a statement that leaves no state in its session is recognised: %s", (text) => {
  expect(leavesState(text)).toBe(false);
});

test.each([
  "/*",
  ";/* ",
  "--;",
  "'",
  '" ',
  ";declare with ",
  "into temp",
  "; set local",
  "*",
  "e'\\",
  "insert   ",
  "set_config(",
  "set_config(a,",
  "set_config((),     ",
  "$$",
  "$a$ ",
  "update ",
  "update a . ",
  "\n",
  "\n ",
  "; ",
])("a text of repeated %p is read in linear time", (piece) => {
  const long = piece.repeat(300_000 / piece.length);
  const from = process.cpuUsage();
  leavesState(long);
  leavesState(`SELECT /* ${long}`);
  leavesState(`${" ".repeat(300_000)}x`);
  expect(process.cpuUsage(from).user / 1000).toBeLessThan(20_000); // takes tens of milliseconds; quadratic time would be minutes
});
