import type { HttpRequest, Response } from "@framework/core";
import { refuseByThrowing } from "./breaker.ts";
import type { Calls } from "./guard-call.ts";

/** Judges requests by the status of the reply, unless the client has disconnected. */
export const requestCalls = (failureCodes: readonly number[]): Calls<HttpRequest, Response> => ({
  isFailure: ({ status }) => failureCodes.includes(status),
  isFailingError: () => true, // unreachable: inner levels convert errors to replies
  refuse: refuseByThrowing,
  onAbandoned: (request, listener) => {
    request.onEnd((end) => {
      if (end === "aborted") listener();
    });
  },
});
