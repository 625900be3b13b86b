import { withServer } from "@framework/services";
import { afterAll, expect, test } from "@jest/globals";
import { postgresFixtures } from "../contract/postgres-fixtures.test-kit.ts";
import { crashEverywhere, operations } from "./crash.test-kit.ts";

withServer("postgres", (server) => {
  const fixtures = postgresFixtures(server);
  afterAll(async () => {
    await fixtures[Symbol.asyncDispose]();
  });

  test.each(Object.entries(operations))(
    "a crash at any statement of %s leaves all or nothing of it, and the next process completes it",
    async (_name, operation) => {
      await using fixture = await fixtures();
      expect(await crashEverywhere(fixture, operation)).toBeGreaterThan(1);
    },
    600_000, // hundreds of crashes, possibly on a busy machine
  );
});
