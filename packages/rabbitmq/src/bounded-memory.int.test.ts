import { measureStalledHandler } from "@framework/messaging/testing";
import { withServer } from "@framework/services";
import { expect, test } from "@jest/globals";
import { rabbitmqBroker } from "./index.ts";
import { newName } from "./process.test-kit.ts";

/** Number of waiting messages; a million takes some minutes. */
const WAITING = Number(process.env["FRAMEWORK_WAITING"] ?? 4000);
/** Bytes of each message; all messages together exceed the limit of the test. */
const BYTES = WAITING > 20_000 ? 1000 : 5000;

withServer("rabbitmq", (url) => {
  test("with a stalled handler and many waiting messages, a process holds only its prefetch", async () => {
    const fixture = { adapter: () => rabbitmqBroker({ url }), prefix: newName() };
    const { grownMib, ...held } = await measureStalledHandler(fixture, { messages: WAITING, bytes: BYTES });
    if (WAITING > 4000) console.log(`${WAITING} messages wait; ${grownMib.toFixed(1)} MiB are held`);
    expect(held).toEqual({ inFlight: 4, received: 10, waiting: WAITING - 10 });
    expect(grownMib).toBeLessThan(4); // all messages together have 20 MiB or more
  }, 1_800_000);
});
