import type { HttpRequest } from "@framework/core";
import type { Cancellation } from "../graphql-js/versions.ts";

/** The request of an operation, and the signal that aborts when its result is no longer needed. */
export interface Caller extends Cancellation {
  readonly request: HttpRequest;
}
