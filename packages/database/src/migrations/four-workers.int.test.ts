import { withServer } from "@framework/services";
import { expect, test } from "@jest/globals";
import { databaseInSchema } from "../testing.ts";
import { migrateInFourWorkers } from "./four-workers.test-kit.ts";

withServer("postgres", (server) => {
  test("on PostgreSQL four workers wait for a slow migration longer than their limits for requests, and one runs it", async () => {
    await using schema = await databaseInSchema(server);
    const limits = { connectionTimeoutSecs: 2, answerTimeoutSecs: 1, statementTimeoutMs: 1000 };
    const slow = "INSERT INTO migrated SELECT count(*) FROM pg_sleep(4)";
    const start = await migrateInFourWorkers({ url: schema.url, ...limits }, slow);
    expect(start).toMatchObject({ workers: 4, migrated: 1 });
    expect(start.longestMs).toBeGreaterThan(2000); // otherwise the migration was not slow
  });
});
