import { App } from "@framework/core";
import { gate, printTable } from "../measure/report.ts";
import { estimate, formatEstimate } from "../measure/statistics.ts";
import { memoryBroker, messaging } from "./packages.ts";

/** Minimum rate of dispatch on one core. */
const MIN_MESSAGES_PER_SECOND = 200_000;
const WARM_UP = 4;
const MESSAGES = 100_000;
const BATCH = 1000;

const quiet = { info() {}, warn() {}, error() {} };

/** Returns the processor time of this thread in milliseconds, which other load hardly affects. */
const processorMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

/** Measures the in-memory broker: dispatch of queued messages, and sending with dispatch. */
export const measureMemory = async (rounds: number): Promise<void> => {
  const dispatched: number[] = [];
  const sentAndDispatched: number[] = [];
  for (let round = -WARM_UP; round < rounds; round++) {
    const dispatch = await dispatchQueued();
    const both = await sendAndDispatch();
    if (round < 0) continue;
    dispatched.push(dispatch);
    sentAndDispatched.push(both);
  }
  const [dispatch, both] = [estimate(dispatched), estimate(sentAndDispatched)];
  printTable(
    ["in-memory broker", "messages per second of one core"],
    [
      ["dispatch: received, decoded, handled, settled", formatEstimate(dispatch, 0)],
      ["sent in batches of 1,000, and dispatched", formatEstimate(both, 0)],
    ],
  );
  gate(
    dispatch.median >= MIN_MESSAGES_PER_SECOND,
    `dispatch in memory: at least ${MIN_MESSAGES_PER_SECOND} messages a second on one core\n`,
  );
};

const batch = Array.from({ length: BATCH }, (_, at) => ({ type: "order.placed", data: { order: at } }));

/** Sends all messages while the handler of the first one waits, and measures from the end of that handler. */
const dispatchQueued = async (): Promise<number> => {
  const all = Promise.withResolvers<void>();
  const start = Promise.withResolvers<void>();
  let left = MESSAGES + 1;
  const app = new (App.with(messaging))().enableMessaging({ broker: memoryBroker() });
  app.messaging.subscribe("measured", { group: "bench", concurrency: 1, prefetch: 1000 }, ({ data }) => {
    if (--left === 0) all.resolve();
    return data === "first" ? start.promise : undefined;
  });
  await app.start({ log: quiet });
  await app.messaging.send("measured", { type: "order.placed", data: "first" });
  for (let sent = 0; sent < MESSAGES; sent += BATCH) await app.messaging.sendAll("measured", batch);
  const from = processorMs();
  start.resolve();
  await all.promise;
  const rate = (MESSAGES * 1000) / (processorMs() - from);
  await app.stop();
  return rate;
};

const sendAndDispatch = async (): Promise<number> => {
  const all = Promise.withResolvers<void>();
  let left = MESSAGES;
  const app = new (App.with(messaging))().enableMessaging({ broker: memoryBroker() });
  app.messaging.subscribe("measured", { group: "bench", concurrency: 100, prefetch: 1000 }, () => {
    if (--left === 0) all.resolve();
  });
  await app.start({ log: quiet });
  const from = processorMs();
  for (let sent = 0; sent < MESSAGES; sent += BATCH) await app.messaging.sendAll("measured", batch);
  await all.promise;
  const rate = (MESSAGES * 1000) / (processorMs() - from);
  await app.stop();
  return rate;
};
