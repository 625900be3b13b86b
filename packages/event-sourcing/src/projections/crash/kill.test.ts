import { databaseInFile } from "@framework/database/testing";
import { expect, test } from "@jest/globals";
import { KILL_TEST_MS, killProjections } from "./kill.test-kit.ts";

test(
  "processes that append and run projections on SQLite, killed about 50 ms after they began, leave views that equal a fresh rebuild",
  async () => {
    await using file = databaseInFile();
    const { kills, writers, applied } = await killProjections(file.url);
    expect(kills).toBeGreaterThan(3);
    expect(writers).toBeGreaterThan(1);
    expect(applied).toBeGreaterThan(0);
  },
  KILL_TEST_MS,
);
