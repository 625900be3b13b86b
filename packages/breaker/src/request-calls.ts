import type { HttpRequest, Response } from "@framework/core";
import { refuseByThrowing } from "./breaker.ts";
import type { Calls } from "./guard-call.ts";

/** How requests are judged: by the status of the reply, unless the client has left meanwhile. */
export const requestCalls = (failureCodes: readonly number[]): Calls<HttpRequest, Response> => ({
  isFailure: ({ status }) => failureCodes.includes(status),
  isFailingError: () => true, // none comes here: errors became replies further in
  refuse: refuseByThrowing,
  onAbandoned: (request, listener) => {
    request.onEnd((end) => {
      if (end === "aborted") listener();
    });
  },
});
