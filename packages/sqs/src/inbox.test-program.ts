import { App } from "@framework/core";
import { database } from "@framework/database";
import { durable } from "@framework/durable";
import { messaging } from "@framework/messaging";
import { hasBegun, untilGo } from "@framework/warm-processes";
import { sqsBroker } from "./index.ts";
import { credentials } from "./process.test-kit.ts";

/** A process whose handler has its effect, a row, in the transaction of the inbox. It is killed before, in and behind the acknowledgement. */
const { ENDPOINT = "", PREFIX = "", DATABASE = "" } = process.env;
const app = new (App.with(database, durable, messaging))()
  .enableDatabase({ url: DATABASE })
  .enableDurable()
  .enableMessaging({
    broker: sqsBroker({
      endpointUrl: ENDPOINT,
      credentials,
      visibilityTimeoutSecs: 2,
      maxReceiveCount: 1000,
    }),
    topics: [`${PREFIX}-topic`],
  });
let hasHandled = false;
app.messaging.subscribe(
  `${PREFIX}-topic`,
  { group: `${PREFIX}-group`, dedupe: "inbox", prefetch: 10, concurrency: 2 },
  async ({ id }, { tx }) => {
    await tx.execute("INSERT INTO effects (message) VALUES ($1)", [id]);
    if (!hasHandled) hasBegun();
    hasHandled = true;
  },
);
await untilGo();
await app.start({ log: { info() {}, warn() {}, error() {} } });
