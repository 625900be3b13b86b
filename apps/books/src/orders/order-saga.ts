import { saga, type SagaDefinition, SagaReject } from "@framework/saga";
import { OrderInput, orderEvents, PRICE_CENTS, Shipment } from "./order.ts";
import { Payments } from "./payments.ts";

/** Time limits of an order. */
export interface OrderOptions {
  /** Time that the warehouse has to ship an order, in milliseconds. */
  readonly shipMs: number;
  /** Delay before a payment is retried, in milliseconds. */
  readonly paymentDelayMs: number;
}

type Order = typeof OrderInput;

/** Name of the step that waits for the warehouse's message. */
export const SHIPPED = "shipped";

/** An order: reserve, charge, notify, ship. When a step fails for good, the steps before it are undone, in reverse order. */
export const orderSaga = ({ shipMs, paymentDelayMs }: OrderOptions): SagaDefinition<Order["_input"]> =>
  saga("order", 1, OrderInput)
    .tx(
      "reserve",
      async ({ input: { book, copies } }, tx) => {
        const { changes } =
          await tx.execute`UPDATE stock SET copies = copies - ${copies} WHERE book = ${book} AND copies >= ${copies}
            AND EXISTS (SELECT 1 FROM books WHERE id = stock.book)`;
        if (changes === 0) throw new SagaReject("There are not enough copies");
      },
      {
        undo: async ({ input: { book, copies } }, _, tx) =>
          void (await tx.execute`UPDATE stock SET copies = copies + ${copies} WHERE book = ${book}`),
      },
    )
    .call(
      "charge",
      ({ input: { copies, card }, idempotencyKey: key, signal }, { payments }) =>
        payments.charge({ cents: copies * PRICE_CENTS, card }, { key, signal }),
      {
        inject: { payments: Payments },
        undo: ({ stepKey, signal }, _payment, { payments }) => payments.refund(stepKey, { signal }),
        retry: { attempts: 4, delayMs: paymentDelayMs },
      },
    )
    .send("notify", ({ input: { order, book, copies } }) => ({
      topic: orderEvents.name,
      type: "order.paid",
      data: { order, book, copies },
    }))
    .waitFor(SHIPPED, { timeout: shipMs, schema: Shipment })
    .build();
