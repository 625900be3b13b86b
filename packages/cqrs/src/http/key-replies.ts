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
  ];
};
