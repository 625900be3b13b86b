// The saga of the tests that kill processes and databases: every effect is a row, with the key of its step.
import type { Database } from "@framework/database";
import { type AnySaga, saga, SagaReject } from "./index.ts";

export const EFFECTS: string = `
  CREATE TABLE effects (key TEXT PRIMARY KEY);
  CREATE TABLE places (saga TEXT NOT NULL, what TEXT NOT NULL)`;

/** A service outside of the saga's transactions that honours keys. */
const outside = async (db: Database, key: string): Promise<string> => {
  await db.execute`INSERT INTO effects (key) VALUES (${key}) ON CONFLICT DO NOTHING`;
  return key;
};

/** Every third saga is refused at its end, and undone. */
export const orderSaga = (db: Database): AnySaga =>
  saga("order", 1)
    .tx(
      "reserve",
      async ({ id }, tx) =>
        void (await tx.execute`INSERT INTO places (saga, what) VALUES (${id}, 'reserved')`),
      {
        undo: async ({ id }, _, tx) =>
          void (await tx.execute`INSERT INTO places (saga, what) VALUES (${id}, 'released')`),
      },
    )
    .call("charge", ({ idempotencyKey }) => outside(db, idempotencyKey), {
      undo: ({ idempotencyKey }) => outside(db, idempotencyKey),
      retry: { attempts: 1000, delayMs: 5, factor: 1 },
    })
    .sleep("5ms")
    .parallel("notify", (branch) => ({
      mail: branch(({ idempotencyKey }) => outside(db, idempotencyKey)),
      phone: branch(({ idempotencyKey }) => outside(db, idempotencyKey)),
    }))
    .call("ship", ({ key }) => {
      if (Number(key) % 3 === 0) throw new SagaReject("no carrier");
    })
    .build();
