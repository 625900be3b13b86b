import { withServer } from "@framework/services";
import { test } from "@jest/globals";
import { postgresSchema } from "../../testing/open-databases.test-kit.ts";
import { workFixture, workTableContract } from "./work-table.test-kit.ts";

withServer("postgres", (url) => {
  workTableContract(test, async () => workFixture(await postgresSchema(url)));
});
