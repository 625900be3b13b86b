import { virtualClock } from "@framework/core/testing";
import { expect, test } from "@jest/globals";
import type { ConfirmChannel } from "amqplib";
import type { Link } from "../connection/link.ts";
import { ConfirmLane } from "./confirm-lane.ts";

const to = { exchange: "orders", routingKey: "" };
const publication = { to, delayMs: 0, content: Buffer.from("1"), options: {} };

/** Creates a lane with at most one unconfirmed message, on a server that opens channels but confirms nothing. */
const silentLane = async () => {
  const clock = virtualClock();
  const link = {
    blockedReason: null as string | null,
    model: null,
    trackClosing() {},
    openSoon: async () => ({ createConfirmChannel: async () => newChannel() }),
  };
  let cannotWrite = false;
  const newChannel = () => ({
    on() {},
    close: async () => {},
    publish: () => {
      if (cannotWrite) throw new RangeError("it is out of range");
      return true;
    },
  });
  let stuck = 0;
  const lane = new ConfirmLane({
    link: link as unknown as Link,
    clock,
    maxPending: 1,
    stuckMs: 5000,
    onLost() {},
    onStuck: () => stuck++,
  });
  const channel: ConfirmChannel = await lane.open();
  /** Publishes a message whose signal aborts at once. */
  const publishAndTimeOut = async (): Promise<void> => {
    const limit = new AbortController();
    const sent = lane.publish(channel, to, publication, limit.signal);
    limit.abort();
    await expect(sent).rejects.toMatchObject({ code: "RABBITMQ_TIMEOUT" });
  };
  /** Publishes a message that amqplib cannot write. */
  const publishUnwritable = async (): Promise<void> => {
    cannotWrite = true;
    const sent = lane.publish(channel, to, publication, new AbortController().signal);
    await expect(sent).rejects.toThrow(RangeError);
    cannotWrite = false;
  };
  return { clock, lane, link, publishAndTimeOut, publishUnwritable, timesStuck: () => stuck };
};

test("a full channel that confirms nothing is replaced, even if the server blocked publishers meanwhile", async () => {
  const { clock, lane, link, publishAndTimeOut, timesStuck } = await silentLane();
  await publishAndTimeOut();
  link.blockedReason = "low on memory";
  await clock.advance(60_000);
  expect([lane.isFull, timesStuck()]).toEqual([true, 0]);
  link.blockedReason = null;
  await clock.advance(5000);
  expect([lane.isFull, timesStuck()]).toEqual([false, 1]);
});

test("a message that amqplib cannot write uses no room and does not wait for a confirmation", async () => {
  const { clock, lane, publishAndTimeOut, publishUnwritable, timesStuck } = await silentLane();
  await publishUnwritable();
  expect(lane.isFull).toBe(false);
  await clock.advance(60_000);
  await publishAndTimeOut();
  expect(timesStuck()).toBe(0);
  await clock.advance(5000);
  expect([lane.isFull, timesStuck()]).toEqual([false, 1]);
});
