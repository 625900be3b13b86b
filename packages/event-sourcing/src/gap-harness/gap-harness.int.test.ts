import { databaseInSchema } from "@framework/database/testing";
import { withServer } from "@framework/services";
import { seededRandom } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { runGapHarness } from "./gap-harness.test-kit.ts";

const none = { lost: 0, doubled: 0, inverted: 0 };

withServer("postgres", (server) => {
  test("readers lose, double and invert nothing beside rollbacks, killed connections and long transactions; a naive reader loses", async () => {
    await using schema = await databaseInSchema(server);
    const report = await runGapHarness(schema.url, "sequence", seededRandom(1));
    console.log(JSON.stringify(report));
    expect(report.store).toEqual(none);
    expect(report.naive.lost).toBeGreaterThan(0); // or the harness would prove nothing
    expect(report.holes).toBeGreaterThan(0);
    expect(report.skipped).toBe(report.holes);
  });

  test("positions of a counter row are in the order of commits", async () => {
    await using schema = await databaseInSchema(server);
    const report = await runGapHarness(schema.url, "counter", seededRandom(2));
    expect([report.store, report.naive]).toEqual([none, none]);
  });
});
