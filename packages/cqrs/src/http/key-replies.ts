import type { ImpliedReply } from "@framework/core/feature";
import { KEY_FIELD } from "../idempotency/key-header.ts";

/** The `Retry-After` header of a 409 or 503. */
export const retryAfter: ImpliedReply["headers"] & object = {
  "Retry-After": { description: "Seconds to wait before retrying.", type: "integer" },
};

/** Implied replies of a route with idempotency keys. */
export const keyReplies = (rule: "required" | "optional" | false | undefined): readonly ImpliedReply[] => {
  if (rule === undefined || rule === false) return [];
  const missing = rule === "required" ? " or missing" : "";
  return [
    { status: 400, description: `The field ${KEY_FIELD} is malformed${missing}.` },
    {
      status: 409,
      description: "A request with the same idempotency key is running, or its result was not stored.",
      headers: retryAfter,
    },
    { status: 422, description: "The idempotency key was used for another request." },
    { status: 503, description: "Idempotency keys cannot be checked now.", headers: retryAfter },
  ];
};

/** Implied reply of a route whose handler runs in a transaction. It has no `Retry-After`, because only a request with the same key may be repeated. */
export const unknownOutcome: ImpliedReply = {
  status: 503,
  description: "It is unknown whether the transaction was committed: `outcome` is `unknown`.",
};
