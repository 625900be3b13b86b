import type { HttpRequest, Response } from "@framework/core";
import { throwOpen } from "./breaker.ts";
import type { Calls } from "./guard-call.ts";

/** Returns rules that classify requests by the status of the reply, unless the client has disconnected. */
export const requestCalls = (failureCodes: readonly number[]): Calls<HttpRequest, Response> => ({
  isFailure: ({ status }) => failureCodes.includes(status),
  isFailingError: () => true, // unreachable: inner levels convert errors to replies
  fallback: throwOpen,
  onAbandoned: (request, listener) => {
    request.onEnd((end) => {
      if (end === "aborted") listener();
    });
  },
});
