import type { HttpRequest, Response } from "@framework/core";
import { throwOpen } from "./breaker.ts";
import type { FailurePolicy } from "./guard-call.ts";

/** Returns the failure rules for requests: a request fails if the status of its reply is in `failureCodes`. A request whose client has disconnected does not count. */
export const requestPolicy = (failureCodes: readonly number[]): FailurePolicy<HttpRequest, Response> => ({
  outcomeOf: ({ status }) => (failureCodes.includes(status) ? "failure" : "success"),
  isFailingError: () => true, // unreachable: inner levels convert errors to replies
  fallback: throwOpen,
  onAbandoned: (request, listener) => {
    request.onEnd((end) => {
      if (end === "aborted") listener();
    });
  },
});
