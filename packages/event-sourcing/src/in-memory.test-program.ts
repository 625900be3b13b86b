import { App } from "@framework/core";
import { database } from "@framework/database";
import { durable } from "@framework/durable";
import { eventSourcing } from "@framework/event-sourcing";

const app = new (App.with(database, durable, eventSourcing))().enableEventSourcing({ storeType: "memory" });
await app.run();
