import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type Database, openDatabase } from "@framework/database";
import { databaseInFile } from "@framework/database/testing";
import { expect, test } from "@jest/globals";
import { z } from "zod";
import { decider, eventType, openEventStore, type OpenEventStore } from "../index.ts";

const Registered = eventType("Registered", z.object({ id: z.string(), name: z.string() }), {
  personal: { subject: ({ id }) => id, fields: ["name"] },
});

/** Its state contains all names, so that snapshots exceed the size of a page. */
const Names = decider({
  name: "names",
  events: [Registered],
  initialState: (): readonly string[] => [],
  decide: (data: { readonly id: string; readonly name: string }) => Registered(data),
  evolve: (names, { data }) => [...names, data.name],
});

const SECRET = "Ann Secretname";

/** Runs `act`, closes the store and the database, and counts the occurrences of the name in the database file. */
const occurrencesAfter = async (
  act: (store: OpenEventStore, db: Database) => Promise<unknown>,
): Promise<number> => {
  await using file = databaseInFile();
  const db = openDatabase({ url: file.url });
  const store = await openEventStore({ events: [Registered], snapshotInterval: 2 }, { db });
  for (const stream of ["1", "2", "3"])
    for (let at = 0; at < 40; at++) {
      await store.aggregate(Names, stream).execute({ id: "p1", name: `${SECRET} ${at} ${"x".repeat(90)}` });
      await store.snapshotsTaken();
    }
  await act(store, db);
  await store.close();
  await db.close(); // merges the write-ahead log into the file
  return (
    readFileSync(fileURLToPath(file.url.replace("sqlite:", "file:")))
      .toString("latin1")
      .split(SECRET).length - 1
  );
};

test("after forget, the file has no data of the person, not even from replaced snapshots", async () => {
  expect(await occurrencesAfter((store) => store.forget("p1"))).toBe(0);
  expect(await occurrencesAfter(async () => {})).toBeGreaterThan(0);
});

test("after archive and forget, the file has no data of the person from deleted snapshots", async () => {
  const occurrences = occurrencesAfter(async (store) => {
    for (const stream of ["1", "2", "3"]) await store.archive(`names-${stream}`);
    await store.forget("p1");
  });
  expect(await occurrences).toBe(0);
});
