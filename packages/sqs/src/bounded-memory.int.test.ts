import { heldByStalledHandler } from "@framework/messaging/testing";
import { withServer } from "@framework/services";
import { expect, test } from "@jest/globals";
import { sqsBroker } from "./index.ts";
import { credentials, newName } from "./process.test-kit.ts";

/** Messages that wait, 20 MiB and more in total; a million takes some minutes. */
const WAITING = Number(process.env["FRAMEWORK_WAITING"] ?? 1000);
/** The emulator holds them in its memory, so many messages are small ones. */
const BYTES = WAITING > 20_000 ? 1000 : 20_000;

withServer("sqs", (endpointUrl) => {
  test("with a stalled handler and many waiting messages, a process holds its prefetch and no more", async () => {
    const config = { endpointUrl, credentials };
    const fixture = { adapter: () => sqsBroker(config), prefix: newName() };
    const plan = { messages: WAITING, bytes: BYTES };
    const { grownMib, ...held } = await heldByStalledHandler(fixture, plan);
    if (WAITING > 1000) console.log(`${WAITING} messages wait; ${grownMib.toFixed(1)} MiB are held`);
    expect(held).toEqual({ inFlight: 4, received: 10, waiting: WAITING - 10 });
    expect(grownMib).toBeLessThan(4); // the messages have 20 MiB and more
  }, 1_800_000);
});
