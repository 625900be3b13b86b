import { App } from "@framework/core";
import { messaging } from "@framework/messaging";
import { kafkaBroker } from "./index.ts";

// A process whose handler prints a line, then waits until its signal aborts.
const { BROKERS = "", TOPIC = "" } = process.env;
const app = new (App.with(messaging))().enableMessaging({
  broker: kafkaBroker({ brokers: BROKERS, partitions: 4, sessionTimeoutMs: 6000 }),
});
app.messaging.subscribe(TOPIC, { group: `${TOPIC}-group`, order: "key" }, async ({ data, signal }) => {
  process.stdout.write(`effect ${JSON.stringify(data)}\n`);
  const { promise, resolve } = Promise.withResolvers<void>();
  signal.addEventListener("abort", () => resolve(), { once: true });
  await promise;
});
const print = (line: string, fields?: unknown): void =>
  void process.stderr.write(`${line} ${JSON.stringify(fields)}\n`); // shown by a failed test
const log = { info: print, warn: print, error: print, debug: print };
await app.start({ log });
