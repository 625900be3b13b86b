// An app without `run`: while the server is unavailable, only messaging keeps the process running. Prints handled messages, and stops after the message `last`.
import { App } from "@framework/core";
import { messaging } from "@framework/messaging";
import { waitFor } from "@framework/testing";
import { rabbitmq } from "./index.ts";

const { AMQP_URL: url = "", TOPIC = "" } = process.env;
const app = new (App.with(messaging, rabbitmq))().enableRabbitmq({ url, sendTimeoutMs: 300 });
const log = { info() {}, warn() {}, error() {} };
const print = (text: string): void => void process.stdout.write(`${text}\n`);

const parts: Readonly<Record<string, () => Promise<void>>> = {
  async consume() {
    app.messaging.subscribe(TOPIC, { group: "group" }, async ({ id }) => {
      print(`handled ${id}`);
      if (id === "last") void app.stop();
    });
    await app.start({ log });
    await waitFor(() => app.messaging.status().every(({ state }) => state === "running"));
    print("running");
  },
  /** Stops with an unref'd timer, which does not keep the process running. */
  async wait() {
    app.messaging.subscribe(TOPIC, { group: "group" }, () => {});
    await app.start({ log });
    setTimeout(() => {
      print("waits");
      void app.stop();
    }, 1000).unref();
  },
  async send() {
    await app.start({ log });
    const sent = app.messaging.send(TOPIC, { type: "t" });
    print(await sent.then(String, (error: { readonly code: string }) => error.code));
  },
};

await parts[process.argv[2] ?? ""]?.();
