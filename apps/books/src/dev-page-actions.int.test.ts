// oxlint-disable jest/expect-expect -- the kit asserts
import { databaseInSchema } from "@framework/database/testing";
import { withServer } from "@framework/services";
import { test } from "@jest/globals";
import { callEveryAction } from "./dev-page-actions.test-kit.ts";

withServer("postgres", (server) => {
  test("every action of every panel works on PostgreSQL", async () => {
    await using database = await databaseInSchema(server);
    await callEveryAction({ DATABASE_URL: database.url });
  }, 120_000);
});
