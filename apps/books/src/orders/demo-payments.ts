import { App, Response } from "@framework/core";
import type { Database } from "@framework/database";
import { z } from "zod";
import { text } from "../fields.ts";

const Payment = z.object({ cents: z.int().positive(), card: text(30) });

// Cards with special behaviour; any other card pays immediately.

/** Replies with 402 to every attempt. */
const REFUSED_CARD = "refused";
/** Replies with 503 to the first attempt of each payment. */
const BUSY_CARD = "busy";
/** Returns an invalid reply to the first attempt of each payment, like a faulty service; the order then waits for an operator. */
const GARBLED_CARD = "garbled";
/** Replies with 503 to every attempt. */
const DOWN_CARD = "down";

interface PaymentRow {
  readonly attempts: number;
  readonly state: "new" | "paid" | "refunded";
}

/** A payment service for demonstrations: it takes no money, and honours idempotency keys. It is only called through `fetch` and never listens on a port. */
export const demoPayments = (db: Database): App => {
  const app = new App();

  app.post("/payments", { body: Payment }, async ({ input: { body }, headers }) => {
    const key = headers.get("idempotency-key");
    if (key === null) return Response.json({ error: "Idempotency-Key is missing" }, { status: 400 });
    const { cents, card } = body;
    const { attempts, state } = await db.transaction(async (tx) => {
      await tx.execute`INSERT INTO demo_payments (key, attempts, cents, state) VALUES (${key}, 1, ${cents}, 'new')
        ON CONFLICT (key) DO UPDATE SET attempts = demo_payments.attempts + 1`;
      const row = await tx.fetchOne<PaymentRow>`SELECT attempts, state FROM demo_payments WHERE key = ${key}`;
      return row ?? { attempts: 1, state: "new" as const };
    });
    if (card === DOWN_CARD || (card === BUSY_CARD && attempts === 1))
      return Response.json({ error: "The service is down" }, { status: 503 });
    if (card === GARBLED_CARD && attempts === 1) return Response.text("paid, more or less");
    if (card === REFUSED_CARD || state === "refunded")
      return Response.json({ error: "The card was refused" }, { status: 402 });
    await db.execute`UPDATE demo_payments SET state = 'paid' WHERE key = ${key} AND state = 'new'`;
    return { payment: key };
  });

  app.delete("/payments/{key}", { params: z.object({ key: text(600) }) }, async ({ input: { params } }) => {
    await db.execute`INSERT INTO demo_payments (key, attempts, cents, state) VALUES (${params.key}, 0, 0, 'refunded')
        ON CONFLICT (key) DO UPDATE SET state = 'refunded'`;
    return Response.noContent();
  });
  return app;
};
