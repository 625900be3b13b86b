import { databaseInSchema } from "@framework/database/testing";
import { withServer } from "@framework/services";
import { expect, test } from "@jest/globals";
import { killProjections } from "./kill.test-kit.ts";

withServer("postgres", (server) => {
  test("processes killed while they run projections leave a view that equals a fold of all events", async () => {
    await using schema = await databaseInSchema(server);
    const { kills, events } = await killProjections(schema.url);
    expect(kills).toBeGreaterThan(1);
    expect(events).toBeGreaterThan(1000);
  });
});
