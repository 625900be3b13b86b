// Works without `run` on the broker in memory, where only messaging keeps the process running: until a delayed message, or the time of a request.
import { App } from "@framework/core";
import { memoryBroker, messaging } from "../index.ts";

const app = new (App.with(messaging))().enableMessaging({ broker: memoryBroker() });
const log = { info() {}, warn() {}, error() {} };

const parts: Readonly<Record<string, () => Promise<void>>> = {
  async delayed() {
    app.messaging.subscribe("books", { group: "search" }, ({ id }) => {
      process.stdout.write(`handled ${id}\n`);
      void app.stop();
    });
    await app.start({ log });
    await app.messaging.send("books", { type: "t", id: "1" }, { delayMs: 100 });
  },
  async request() {
    await app.start({ log });
    const failure = await app.messaging
      .request("prices", { type: "t" }, { timeoutMs: 100 })
      .catch((error: { readonly code: string }) => error.code);
    process.stdout.write(`failed with ${String(failure)}\n`); // and ends by itself: nothing consumes
  },
};

await parts[process.argv[2] ?? ""]?.();
