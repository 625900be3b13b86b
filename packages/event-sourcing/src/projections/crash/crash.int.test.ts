import { withServer } from "@framework/services";
import { afterAll, expect, test } from "@jest/globals";
import { postgresFixtures } from "../../contract/postgres-fixtures.test-kit.ts";
import { crashEverywhere, operations } from "./crash.test-kit.ts";

/** Crashes at every fourth statement by default; the tests on SQLite crash before and after every statement of the same operations. */
const stride = Number(process.env["FRAMEWORK_CRASH_STRIDE"] ?? 4);

withServer("postgres", (server) => {
  const fixtures = postgresFixtures(server);
  afterAll(async () => {
    await fixtures[Symbol.asyncDispose]();
  });

  test.each(Object.entries(operations))(
    "after a crash at any statement of %s, the next process completes it and the view equals a fold",
    async (_name, operation) => {
      await using fixture = await fixtures();
      expect(await crashEverywhere(fixture, operation, { when: "after", stride })).toBeGreaterThan(1);
    },
    600_000, // hundreds of crashes, possibly on a busy machine
  );
});
