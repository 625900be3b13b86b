import type { ImpliedField } from "./implied-reply.ts";

/** A header field that a feature reads from requests of a route, or sets on its replies. */
export interface FieldUse extends ImpliedField {
  /** Name of the field in documents, such as `Idempotency-Key`. */
  readonly name: string;
  /** Whether clients send it, or get it with successful replies of the handler or with rejections by the feature. */
  readonly in: "request" | "reply" | "refusal";
  /** Whether a request without it is rejected. @default false */
  readonly required?: boolean;
}
