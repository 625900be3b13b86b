import { measureStalledHandler } from "@framework/messaging/testing";
import { withServer } from "@framework/services";
import { expect, test } from "@jest/globals";
import { sqsBroker } from "./index.ts";
import { credentials, newName } from "./process.test-kit.ts";

/** Number of waiting messages, 20 MiB or more in total; a million takes some minutes. */
const WAITING = Number(process.env["FRAMEWORK_WAITING"] ?? 1000);
/** Bytes of each message; few if there are many messages, because the emulator keeps them in memory. */
const BYTES = WAITING > 20_000 ? 1000 : 20_000;

withServer("sqs", (endpointUrl) => {
  test("with a stalled handler and many waiting messages, a process holds only its prefetch", async () => {
    const config = { endpointUrl, credentials };
    const fixture = { adapter: () => sqsBroker(config), prefix: newName() };
    const plan = { messages: WAITING, bytes: BYTES };
    const { grownMib, ...counts } = await measureStalledHandler(fixture, plan);
    if (WAITING > 1000) console.log(`${WAITING} messages wait; ${grownMib.toFixed(1)} MiB are held`);
    expect(counts).toEqual({ inFlight: 4, received: 10, waiting: WAITING - 10 });
    expect(grownMib).toBeLessThan(4); // all messages together have 20 MiB or more
  }, 1_800_000);
});
