import { databaseInSchema } from "@framework/database/testing";
import { withServer } from "@framework/services";
import { expect, test } from "@jest/globals";
import { KILL_TEST_MS, killProjections } from "./kill.test-kit.ts";

withServer("postgres", (server) => {
  test(
    "processes that append and run projections, killed about 50 ms after they began, leave views that equal a fresh rebuild",
    async () => {
      await using schema = await databaseInSchema(server);
      const { kills, writers, applied } = await killProjections(schema.url);
      expect(kills).toBeGreaterThan(3);
      expect(writers).toBeGreaterThan(1);
      expect(applied).toBeGreaterThan(0);
    },
    KILL_TEST_MS,
  );
});
