import type { ImpliedReply } from "@framework/core/feature";
import { KEY_FIELD } from "../idempotency/key-header.ts";

/** Header field of a 409 or 503 after which clients may retry. */
export const retryAfter: ImpliedReply["headers"] & object = {
  "Retry-After": { description: "Seconds.", type: "integer" },
};

/** Implied replies of a route with idempotency keys. */
export const keyReplies = (rule: "required" | "optional" | false | undefined): readonly ImpliedReply[] => {
  if (rule === undefined || rule === false) return [];
  const missing = rule === "required" ? " or missing" : "";
  return [
    { status: 400, description: `The field ${KEY_FIELD} is malformed${missing}.` },
    {
      status: 409,
      description: "A request with the same idempotency key is running.",
      headers: retryAfter,
    },
    { status: 422, description: "The idempotency key was used for another request." },
    { status: 503, description: "Idempotency keys cannot be checked now.", headers: retryAfter },
  ];
};

/** Implied reply of a route whose handler runs in a transaction. */
export const unknownOutcome: ImpliedReply = {
  status: 503,
  description: "The outcome of the transaction is unknown (`outcome`).",
  headers: retryAfter,
};
