import { databaseInSchema } from "@framework/database/testing";
import { withServer } from "@framework/services";
import { expect, test } from "@jest/globals";
import { databaseFixture } from "./contract/database-fixture.test-kit.ts";
import { measureStalledHandler } from "./contract/stalled-handler.ts";

/** Number of waiting messages of 1,000 bytes each; a million takes some minutes. */
const WAITING = Number(process.env["FRAMEWORK_WAITING"] ?? 20_000);
/** Maximum count of a queue on the database. */
const MAX_COUNTED = 100_000;

withServer("postgres", (server) => {
  test("with a stalled handler and many waiting messages, a process on PostgreSQL holds only its prefetch", async () => {
    await using storage = await databaseInSchema(server);
    const fixture = databaseFixture(storage);
    const { grownMib, ...counts } = await measureStalledHandler(fixture, { messages: WAITING });
    await fixture.close?.();
    if (WAITING > 20_000) console.log(`${WAITING} messages wait; ${grownMib.toFixed(1)} MiB are held`);
    expect(counts).toEqual({ inFlight: 4, received: 10, waiting: Math.min(WAITING - 10, MAX_COUNTED) });
    expect(grownMib).toBeLessThan(8); // all messages together have 20 MiB or more
  }, 1_800_000);
});
