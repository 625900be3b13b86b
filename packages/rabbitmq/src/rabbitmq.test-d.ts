import { App } from "@framework/core";
import { messaging } from "@framework/messaging";
import { rabbitmq, rabbitmqBroker } from "./index.ts";

const app = new (App.with(messaging, rabbitmq))();

app
  .enableRabbitmq()
  .enableRabbitmq({ url: "amqps://localhost", prefetchCount: 20, topology: "verify", topics: ["orders"] })
  .enableMessaging({ broker: rabbitmqBroker({ url: "amqp://localhost" }) });

// @ts-expect-error the method exists only if the feature is composed
new (App.with(messaging))().enableRabbitmq();

// @ts-expect-error the feature needs messaging
void App.with(rabbitmq);

// @ts-expect-error a misspelt option
app.enableRabbitmq({ prefetchcount: 1 });

// @ts-expect-error the broker is RabbitMQ
app.enableRabbitmq({ broker: "memory" });
