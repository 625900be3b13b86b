import { App } from "@framework/core";
import { database } from "@framework/database";
import { databaseInFile } from "@framework/database/testing";
import { durable } from "@framework/durable";
import { decider, eventSourcing, eventType } from "@framework/event-sourcing";
import { expect, test } from "@jest/globals";
import { z } from "zod";
import { failureOf, newLog } from "../counters.test-kit.ts";
import { command, cqrs, decideWith } from "../index.ts";
import { eventFacts } from "./events.test-kit.ts";

eventFacts(test, databaseInFile);

const Happened = eventType("Happened", z.object({}));
const Thing = decider({
  name: "thing",
  events: [Happened],
  initialState: () => null,
  decide: (_command: null) => Happened({}),
  evolve: (state) => state,
});
const Happen = command("Happen", { input: z.string() });
const memory = { url: "sqlite://:memory:" };
const thingHandler = () => decideWith(Thing, { id: (id: string) => id, command: () => null });

test.each([
  ["not composed", () => new (App.with(database, durable, cqrs))().enableDatabase(memory)],
  [
    "composed after cqrs",
    () =>
      new (App.with(database, durable, cqrs, eventSourcing))().enableDatabase(memory).enableEventSourcing(),
  ],
  ["not enabled", () => new (App.with(database, durable, eventSourcing, cqrs))().enableDatabase(memory)],
])(
  "an event store that is %s is a start error for a decider, and an error for a handler that uses events",
  async (_how, make) => {
    const app = make().enableCqrs();
    app.cqrs.handle(Happen, thingHandler());
    await expect(app.start({ log: newLog() })).rejects.toThrow(
      "CQRS_NO_EVENT_STORE: command Happen has a decider",
    );
    const other = make().enableCqrs();
    other.cqrs.handle(Happen, async (id, { events }) => void (await events.append(id, Happened({}))));
    await other.start({ log: newLog() });
    expect(await failureOf(other.cqrs.execute(Happen, "1"))).toMatchObject({ code: "CQRS_NO_EVENT_STORE" });
    await other.stop();
  },
);

test("an event store with a separate database is a start error", async () => {
  const app = new (App.with(database, durable, eventSourcing, cqrs))()
    .enableDatabase(memory)
    .enableEventSourcing({ connectionUrl: "sqlite://:memory:" })
    .enableCqrs();
  await expect(app.start({ log: newLog() })).rejects.toThrow(
    "CQRS_OTHER_DATABASE: the event store has a separate database",
  );
});

test("over HTTP, the token is a header field", async () => {
  const Post = command("Post", { input: z.object({ id: z.string() }), http: { path: "/things/{id}" } });
  const app = new (App.with(database, durable, eventSourcing, cqrs))()
    .enableDatabase(memory)
    .enableEventSourcing({ events: [Happened] })
    .enableCqrs();
  app.cqrs.handle(Post, decideWith(Thing, { id: ({ id }) => id, command: () => null }));
  await app.start({ log: newLog() });
  const reply = await app.fetch(new Request("http://test.local/things/7", { method: "POST" }));
  const { events } = await app.eventStore.readAll();
  expect([reply.status, reply.headers.get("consistency-token")]).toEqual([204, events[0]?.position]);
  await app.stop();
});
