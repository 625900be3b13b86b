import type { ImpliedField } from "./implied-reply.ts";

/** A header field that a feature reads from requests of a route, or sets on its replies. */
export interface FieldUse extends ImpliedField {
  /** Name of the field as documents show it, such as `Idempotency-Key`. */
  readonly name: string;
  /** Whether clients send it, get it with the successful replies of the handler, or with refusals. */
  readonly in: "request" | "reply" | "refusal";
  /** Whether a request without it is refused. @default false */
  readonly required?: boolean;
}
