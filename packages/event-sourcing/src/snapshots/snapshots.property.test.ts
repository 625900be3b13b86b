import { openDatabase } from "@framework/database";
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { type NewEvent, openEventStore } from "../index.ts";
import { Borrowed, Extended, Loan, loanTypes, Returned } from "../loan.test-kit.ts";

/** Number of histories; `FRAMEWORK_HISTORIES=5000` for a long run. */
const histories = Number(process.env["FRAMEWORK_HISTORIES"] ?? 100);

const event: fc.Arbitrary<NewEvent> = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 5 }).map((member) => Borrowed({ member })),
  fc.integer({ min: 1, max: 30 }).map((days) => Extended({ days })),
  fc.constant(Returned({})),
);

test("at every version of any history, a snapshot and the events after it give the state of all events", async () => {
  const db = openDatabase({ url: "sqlite://:memory:" });
  const config = { events: loanTypes, snapshotInterval: 1 };
  const warnings: string[] = [];
  const log = { info: () => {}, warn: (message: string) => void warnings.push(message), error: () => {} };
  const store = await openEventStore(config, { db, log });
  const withoutSnapshots = await openEventStore({ ...config, enableSnapshots: false }, { db, log });
  let stream = 0;
  const property = fc.asyncProperty(fc.array(event, { minLength: 1, maxLength: 10 }), async (events) => {
    const id = String(++stream);
    for (let cut = 0; cut < events.length; cut++) {
      await store.append(`loan-${id}`, events[cut] ?? []);
      const expected = await withoutSnapshots.aggregate(Loan, id).load();
      expect(await store.aggregate(Loan, id).load()).toEqual(expected); // from an earlier snapshot
      if (cut % 2 === 0) await store.snapshotsTaken();
    }
    await store.snapshotsTaken();
    expect(await store.aggregate(Loan, id).load()).toEqual(await withoutSnapshots.aggregate(Loan, id).load());
  });
  await fc.assert(property, { numRuns: histories });
  expect(warnings).toEqual([]);
  expect(await db.fetchValue("SELECT count(*) FROM framework_snapshots")).toBe(stream);
  await store.close();
  await withoutSnapshots.close();
  await db.close();
});
