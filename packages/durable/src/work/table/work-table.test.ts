import { test } from "@jest/globals";
import { sqliteFile } from "../../testing/open-databases.test-kit.ts";
import { workFixture } from "./work-fixture.test-kit.ts";
import { workTableContract } from "./work-table.test-kit.ts";

workTableContract(test, async () => workFixture(await sqliteFile()));
