// An app without `run` and without a server: only messaging keeps the process running.
import { App } from "@framework/core";
import { messaging } from "@framework/messaging";
import { sqs } from "./index.ts";

const app = new (App.with(messaging, sqs))().enableSqs({
  endpointUrl: "http://127.0.0.1:1",
  credentials: { accessKeyId: "id", secretAccessKey: "key" },
  sendTimeoutMs: 300,
});
const log = { info() {}, warn() {}, error() {} };
const print = (text: string): void => void process.stdout.write(`${text}\n`);

const parts: Readonly<Record<string, () => Promise<void>>> = {
  async wait() {
    app.messaging.subscribe("orders", { group: "group" }, () => {});
    await app.start({ log });
    setTimeout(() => {
      print("waits");
      void app.stop();
    }, 1000).unref();
  },
  async send() {
    await app.start({ log });
    const sent = app.messaging.send("orders", { type: "t" });
    print(await sent.then(String, (error: { readonly code: string }) => error.code));
  },
};

await parts[process.argv[2] ?? ""]?.();
