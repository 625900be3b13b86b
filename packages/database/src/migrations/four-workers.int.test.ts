import { withServer } from "@framework/services";
import { test } from "@jest/globals";
import { databaseInSchema } from "../testing.ts";
import { fourWorkersMigrateOnce } from "./four-workers.test-kit.ts";

withServer("postgres", (server) => {
  test("on PostgreSQL four workers wait for a slow migration beyond their limits for requests, and one runs it", async () => {
    await using schema = await databaseInSchema(server);
    const limits = { connectionTimeoutSecs: 2, answerTimeoutSecs: 1, statementTimeoutMs: 1000 };
    const slow = "INSERT INTO migrated SELECT count(*) FROM pg_sleep(4)";
    await fourWorkersMigrateOnce({ url: schema.url, ...limits }, slow, 2000);
  });
});
