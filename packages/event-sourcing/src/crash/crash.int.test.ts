import { withServer } from "@framework/services";
import { expect, test } from "@jest/globals";
import { postgresFixture } from "../contract/open-fixture.test-kit.ts";
import { crashEverywhere, operations } from "./crash.test-kit.ts";

withServer("postgres", (server) => {
  test.each(Object.entries(operations))(
    "a crash at any statement of %s leaves all of it or nothing, and the next process completes it",
    async (_name, operation) => {
      await using fixture = await postgresFixture(server);
      expect(await crashEverywhere(fixture, operation)).toBeGreaterThan(1);
    },
  );
});
