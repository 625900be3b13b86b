import { App } from "@framework/core";
import { database } from "@framework/database";
import { durable } from "@framework/durable";
import { z } from "zod";
import { decider, eventSourcing, type EventOf, eventType } from "./index.ts";

const app = new (App.with(database, durable, eventSourcing))();
app.enableDatabase().enableEventSourcing().enableEventSourcing({ snapshotInterval: 10 });

// @ts-expect-error the method exists only if the app has the feature
new App().enableEventSourcing();

// @ts-expect-error the feature needs the database and the durable kernel
App.with(eventSourcing);

// @ts-expect-error a misspelt option
app.enableEventSourcing({ snapshotIntervall: 10 });

const Moved = eventType("Moved", z.object({ to: z.string() }));
const Sold = eventType("Sold", z.object({ price: z.number() }));

Moved({ to: "Rome" });
// @ts-expect-error data of another type
Moved({ from: "Rome" });

const moved = (event: EventOf<typeof Moved>): string => event.data.to;
// @ts-expect-error an event of another type
const sold = (event: EventOf<typeof Sold>): string => moved(event);
void sold;

const House = decider({
  name: "house",
  events: [Moved, Sold],
  initialState: () => ({ price: 0 }),
  decide: (command: { readonly sell: number }) => Sold({ price: command.sell }),
  evolve: (state, event) => (event.type === "Sold" ? { price: event.data.price } : state),
});
const house = app.eventStore.aggregate(House, "1");
void house.execute({ sell: 3 });
// @ts-expect-error another command
void house.execute({ buy: 3 });
void house.load().then(({ state }) => state.price.toFixed());

decider({
  name: "house",
  events: [Moved],
  initialState: () => 0,
  // @ts-expect-error an event that the decider does not list
  decide: () => Sold({ price: 1 }),
  evolve: (state) => state,
});

decider({
  name: "house",
  events: [Moved],
  initialState: () => 0,
  decide: () => [],
  // @ts-expect-error a member that the data does not have
  evolve: (_state, event) => event.data.price,
});
