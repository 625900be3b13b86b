// The saga of the tests that kill processes and databases: every effect is a row, with the key of its step.
import type { Database } from "@framework/database";
import { type AnySaga, saga, SagaReject } from "./index.ts";

export const EFFECTS: string = `
  CREATE TABLE effects (key TEXT PRIMARY KEY);
  CREATE TABLE places (saga TEXT NOT NULL, what TEXT NOT NULL)`;

/** Simulates a call to an external service that honours idempotency keys. */
const callService = async (db: Database, key: string): Promise<string> => {
  await db.execute`INSERT INTO effects (key) VALUES (${key}) ON CONFLICT DO NOTHING`;
  return key;
};

/** A saga of which every third instance is rejected at its last step, and undone. */
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
    .call("charge", ({ idempotencyKey }) => callService(db, idempotencyKey), {
      undo: ({ idempotencyKey }) => callService(db, idempotencyKey),
      retry: { attempts: 1000, delayMs: 5, factor: 1 },
    })
    .sleep("5ms")
    .parallel("notify", (branch) => ({
      mail: branch(({ idempotencyKey }) => callService(db, idempotencyKey)),
      phone: branch(({ idempotencyKey }) => callService(db, idempotencyKey)),
    }))
    .call("ship", ({ key }) => {
      if (Number(key) % 3 === 0) throw new SagaReject("no carrier");
    })
    .build();
