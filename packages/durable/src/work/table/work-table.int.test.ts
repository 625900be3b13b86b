import { withServer } from "@framework/services";
import { expect, test } from "@jest/globals";
import { postgresSchema } from "../../testing/open-databases.test-kit.ts";
import { workFixture } from "./work-fixture.test-kit.ts";
import { workTableContract } from "./work-table.test-kit.ts";

withServer("postgres", (url) => {
  workTableContract(test, async () => workFixture(await postgresSchema(url)));

  test("the functions of the table disable JIT compilation, which would take longer than their statements", async () => {
    await using fixture = await workFixture(await postgresSchema(url));
    const functions = await fixture.db.query<{ name: string; settings: string | null }>`
      SELECT p.proname AS name, p.proconfig::text AS settings FROM pg_proc AS p
      WHERE p.pronamespace = current_schema()::regnamespace AND p.proname LIKE 'framework_work_%'`;
    expect(functions.length).toBeGreaterThan(0);
    expect(functions.filter(({ settings }) => settings?.includes("jit=off") !== true)).toEqual([]);
  });
});
