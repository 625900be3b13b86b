import { withServer } from "@framework/services";
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { postgresSchema } from "../testing/open-databases.test-kit.ts";
import { heldBeyondTheLease, histories, type Step, World } from "./lanes-model.test-kit.ts";

const RUNS = Number(process.env["FRAMEWORK_MODEL_RUNS"] ?? 5);

const onServer = (url: string): void => {
  test("while a transaction that has checked a lane is open, no other owner passes its check", async () => {
    let writes = 0;
    const holds = async (history: readonly Step[][]): Promise<void> => {
      await using database = await postgresSchema(url);
      const world = await World.create({
        open: () => database.open(),
        processes: 3,
        count: 5,
        canHold: true,
      });
      try {
        for (const group of history) await world.runGroup(group);
        await world.reachFairShares();
      } finally {
        await world.endTransactions(); // the database closes after them
      }
      writes += world.writes;
    };
    await fc.assert(fc.asyncProperty(histories(3), holds), {
      numRuns: RUNS,
      examples: [[heldBeyondTheLease]],
    });
    expect(writes).toBeGreaterThan(0);
  }, 600_000);
};

withServer("postgres", onServer);
withServer("postgres-newest", onServer);
