import { App } from "@framework/core";
import { database } from "@framework/database";
import { durable } from "@framework/durable";
import { eventSourcing, eventType, projection } from "@framework/event-sourcing";
import { waitFor } from "@framework/testing";
import { z } from "zod";

const Borrowed = eventType("Borrowed", z.object({ member: z.string() }));

const shelf = (version: number) =>
  projection({
    name: "shelf",
    version,
    types: [Borrowed],
    autoLive: false,
    tables: { shelf: "book TEXT PRIMARY KEY, member TEXT NOT NULL, version INTEGER NOT NULL" },
    async apply(tx, events, { tables }) {
      for (const { stream, data } of events)
        await tx.execute`INSERT INTO ${tables.shelf} VALUES (${stream}, ${data.member}, ${version})`;
    },
  });

/** Creates the app, with `SHELF_VERSIONS` versions of its view. */
const compose = () =>
  new (App.with(database, durable, eventSourcing))()
    .enableDatabase({ url: `sqlite://${process.env["VIEWS_DATABASE"]}` })
    .enableEventSourcing({
      events: [Borrowed],
      projections: Array.from({ length: Number(process.env["SHELF_VERSIONS"]) }, (_, at) => shelf(at + 1)),
    });

export const createApp = (): App => compose();

if (import.meta.main) {
  const app = compose();
  await app.start({ log: { info() {}, warn() {}, error() {} } });
  if (process.env["BORROW"] !== undefined)
    await app.eventStore.append(process.env["BORROW"], Borrowed({ member: "ann" }));
  await waitFor(
    async () =>
      (await app.eventStore.projections.status()).every(
        ({ status, progress }) => progress === 1 || !["live", "building"].includes(status),
      ),
    { timeoutMs: 60_000 },
  );
  await app.stop();
}
