import { expect, test } from "@jest/globals";
import { fileFixture } from "../contract/open-fixture.test-kit.ts";
import { crashEverywhere, operations } from "./crash.test-kit.ts";

test.each(Object.entries(operations))(
  "a crash at any statement of %s on SQLite leaves all or nothing of it, and the next process completes it",
  async (_name, operation) => {
    await using fixture = fileFixture();
    expect(await crashEverywhere(fixture, operation)).toBeGreaterThan(1);
  },
);
