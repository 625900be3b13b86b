import { App } from "@framework/core";
import { messaging } from "@framework/messaging";
import { sqs, sqsBroker } from "./index.ts";

const app = new (App.with(messaging, sqs))();

app
  .enableSqs()
  .enableSqs({ region: "eu-central-1", waitTimeSecs: 10, topology: "verify", topics: ["orders"] })
  .enableMessaging({ broker: sqsBroker({ endpointUrl: "http://localhost:4566" }) });

// @ts-expect-error the method exists only if the feature is composed
new (App.with(messaging))().enableSqs();

// @ts-expect-error the feature needs messaging
void App.with(sqs);

// @ts-expect-error a misspelt option
app.enableSqs({ waitTimeSeconds: 1 });

// @ts-expect-error the broker is SQS
app.enableSqs({ broker: "memory" });
