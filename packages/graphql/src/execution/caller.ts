import type { HttpRequest } from "@framework/core";
import type { Interest } from "../graphql-js/versions.ts";

/** Where an operation comes from, and the end of interest in its result. */
export interface Caller extends Interest {
  readonly request: HttpRequest;
}
