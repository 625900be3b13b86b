import { withServer } from "@framework/services";
import { expect, test } from "@jest/globals";
import { postgresSchema } from "../../testing/open-databases.test-kit.ts";
import { workFixture } from "./work-fixture.test-kit.ts";
import { workTableContract } from "./work-table.test-kit.ts";

withServer("postgres", (url) => {
  workTableContract(test, async () => workFixture(await postgresSchema(url)));

  test("no function of the table is compiled just in time, which would take longer than its statement", async () => {
    await using fixture = await workFixture(await postgresSchema(url));
    const compiled = await fixture.db.query<{ name: string }>`SELECT p.proname AS name FROM pg_proc AS p
      WHERE p.pronamespace = current_schema()::regnamespace AND p.proname LIKE 'framework_work_%' AND NOT 'jit=off' = ANY (p.proconfig)`;
    expect(compiled).toEqual([]);
  });
});
