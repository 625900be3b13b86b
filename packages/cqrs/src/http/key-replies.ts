import type { ImpliedReply } from "@framework/core/feature";
import { KEY_FIELD } from "../idempotency/key-header.ts";

/** Field of a 409 or 503 that clients may repeat. */
export const retryAfter: ImpliedReply["headers"] & object = {
  "Retry-After": { description: "Seconds.", type: "integer" },
};

/** Replies that idempotency keys of a route imply. */
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
    { status: 503, description: "Idempotency keys cannot be checked at the moment.", headers: retryAfter },
  ];
};

/** The reply of a route whose handler runs in a transaction. */
export const unknownOutcome: ImpliedReply = {
  status: 503,
  description: "The outcome of the transaction is unknown (`outcome`).",
  headers: retryAfter,
};
