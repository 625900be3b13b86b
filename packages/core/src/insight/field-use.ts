import type { ImpliedField } from "./implied-reply.ts";

/** A header field that a feature reads from requests of a route, or sets on the successful replies of its handler. */
export interface FieldUse extends ImpliedField {
  /** Name of the field as documents show it, such as `Idempotency-Key`. */
  readonly name: string;
  /** Whether clients send it or get it. */
  readonly in: "request" | "reply";
  /** Whether a request without it is refused. @default false */
  readonly required?: boolean;
}
