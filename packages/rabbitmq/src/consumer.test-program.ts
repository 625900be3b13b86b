import { App } from "@framework/core";
import { database } from "@framework/database";
import { durable } from "@framework/durable";
import { messaging } from "@framework/messaging";
import { rabbitmq } from "./index.ts";

// A process that dies between the commit of its effect and the acknowledgement.
const { AMQP_URL = "", DATABASE_URL = "", TOPIC = "" } = process.env;
const app = new (App.with(database, durable, messaging, rabbitmq))()
  .enableDatabase({ url: DATABASE_URL })
  .enableDurable()
  .enableRabbitmq({ url: AMQP_URL, topics: [TOPIC] });
app.messaging.subscribe(TOPIC, { group: "group", dedupe: "inbox" }, async ({ id }, { tx }) => {
  await tx.execute("INSERT INTO effects (message) VALUES ($1)", [id]);
  tx.onCommit(() => void process.kill(process.pid, "SIGKILL"));
});
await app.start({ log: { info() {}, warn() {}, error() {} } });
