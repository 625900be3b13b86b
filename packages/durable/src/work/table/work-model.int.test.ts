import { withServer } from "@framework/services";
import { test } from "@jest/globals";
import fc from "fast-check";
import { postgresSchema } from "../../testing/open-databases.test-kit.ts";
import { histories, runHistory } from "./work-model.test-kit.ts";
import { workFixture } from "./work-fixture.test-kit.ts";

const RUNS = Number(process.env["FRAMEWORK_MODEL_RUNS"] ?? 6);

withServer("postgres", (url) => {
  test("with random actions of two workers, no item is lost or completes twice, writes with a lost claim are refused, and items of one key keep their order", async () => {
    await using fixture = await workFixture(await postgresSchema(url));
    await fc.assert(
      fc.asyncProperty(histories, (steps) => runHistory(fixture, steps)),
      { numRuns: RUNS },
    );
  }, 600_000);
});
