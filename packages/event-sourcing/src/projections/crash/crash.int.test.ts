import { withServer } from "@framework/services";
import { expect, test } from "@jest/globals";
import { postgresFixture } from "../../contract/open-fixture.test-kit.ts";
import { crashEverywhere, operations } from "./crash.test-kit.ts";

withServer("postgres", (server) => {
  test.each(Object.entries(operations))(
    "after a crash at any statement of %s, the next process completes it and the view equals a fold",
    async (_name, operation) => {
      await using fixture = await postgresFixture(server);
      expect(await crashEverywhere(fixture, operation)).toBeGreaterThan(1);
    },
  );
});
