import { dependency, type Token } from "@framework/core";
import { SagaReject } from "@framework/saga";
import { z } from "zod";

/** A payment service. */
export interface Payments {
  /** Charges a card, once for each key; returns the id of the payment. @throws SagaReject when the card is refused; another error when the service fails */
  charge(payment: Payment, options: CallOptions): Promise<string>;
  /** Refunds the payment with a key, if there is one; afterwards nothing can be charged with that key. */
  refund(key: string, options: Pick<CallOptions, "signal">): Promise<void>;
}

/** The app's payment service. */
export const Payments: Token<Payments> = dependency("payments");

interface Payment {
  readonly cents: number;
  readonly card: string;
}

interface CallOptions {
  /** Sent as `Idempotency-Key`. */
  readonly key: string;
  readonly signal: AbortSignal;
}

/** Sends a request: `fetch`, or `fetch` of an app in the same process. */
export type Send = (request: Request) => Promise<Response>;

const Paid = z.object({ payment: z.string() });
const HTTP_PAYMENT_REQUIRED = 402;

/** A payment service over HTTP. @param url URL of its payments resource */
export const httpPayments = (url: string, send: Send): Payments => ({
  async charge(payment, { key, signal }) {
    const headers = { "content-type": "application/json", "idempotency-key": key };
    const reply = await send(
      new Request(url, { method: "POST", headers, body: JSON.stringify(payment), signal }),
    );
    if (reply.status === HTTP_PAYMENT_REQUIRED) throw new SagaReject("The card was refused");
    if (!reply.ok) throw new Error(`the payment service replied with ${reply.status}`);
    return Paid.parse(await reply.json()).payment;
  },
  async refund(key, { signal }) {
    const reply = await send(new Request(`${url}/${encodeURIComponent(key)}`, { method: "DELETE", signal }));
    if (!reply.ok) throw new Error(`the payment service replied with ${reply.status}`);
  },
});
