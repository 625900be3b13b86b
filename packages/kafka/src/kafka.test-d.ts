import { App } from "@framework/core";
import { messaging, topic } from "@framework/messaging";
import { z } from "zod";
import { kafka, kafkaBroker } from "./index.ts";

const books = topic("books", { "book.created": z.object({ title: z.string() }) });
const app = new (App.with(messaging, kafka))().enableMessaging({
  brokers: ["localhost:9092"],
  drainMs: 1000,
});
app.messaging.addBroker("audit", kafkaBroker({ brokers: "localhost:9092" }));
app.messaging.subscribe(books, {}, ({ data }) => {
  const title: string = data.title;
  return title;
});
new (App.with(messaging, kafka))().enableMessaging({ broker: "memory" });

// @ts-expect-error the configuration needs the feature `kafka`
new (App.with(messaging))().enableMessaging({ brokers: ["localhost:9092"] });
// @ts-expect-error the option is misspelt
new (App.with(messaging, kafka))().enableMessaging({ brokers: [], grupId: "a" });
// @ts-expect-error there is no such mechanism
kafkaBroker({ sasl: { mechanism: "md5", username: "a", password: "b" } });
