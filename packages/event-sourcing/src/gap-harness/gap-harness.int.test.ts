import { databaseInSchema } from "@framework/database/testing";
import { withServer } from "@framework/services";
import { seededRandom } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { runGapHarness } from "./gap-harness.test-kit.ts";

const noFaults = { lost: 0, duplicated: 0, reordered: 0 };

withServer("postgres", (server) => {
  test("readers neither lose, duplicate nor reorder events despite rollbacks, killed connections and long transactions; a naive reader loses some", async () => {
    await using schema = await databaseInSchema(server);
    const report = await runGapHarness(schema.url, "sequence", seededRandom(1));
    console.log(JSON.stringify(report));
    expect(report.store).toEqual(noFaults);
    expect(report.naive.lost).toBeGreaterThan(0); // otherwise the harness proves nothing
    expect(report.gaps).toBeGreaterThan(0);
    expect(report.skipped).toBe(report.gaps);
  });

  test("positions from a counter row are in commit order", async () => {
    await using schema = await databaseInSchema(server);
    const report = await runGapHarness(schema.url, "counter", seededRandom(2));
    expect([report.store, report.naive]).toEqual([noFaults, noFaults]);
  });
});
