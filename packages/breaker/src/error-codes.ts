import type { ErrorCatalogue } from "@framework/core/feature";

/** The error codes of this package. */
export const breakerErrors: ErrorCatalogue = {
  BREAKER_OPEN: {
    status: 503,
    summary: "the circuit is open, or enough trial calls are in flight",
    action: "retry after `Retry-After`",
  },
  BREAKER_UNKNOWN_CIRCUIT: {
    status: 404,
    summary: "`trip` or `reset` names a circuit that does not exist",
    action: "use the name of an existing circuit; the message may suggest one",
  },
  BREAKER_NAME_TAKEN: {
    summary:
      "`around` was given the name of an existing circuit; the app does not start if a route or call gets the name later",
    action: "give each circuit its own name",
  },
  BREAKER_TOO_MANY_CIRCUITS: {
    summary: "there are more than 1,000 circuits; the app does not start, or `around` throws",
    action: "let routes or calls share a circuit",
  },
  BREAKER_NOT_ENABLED: {
    summary: "`app.circuits` was used before `enableCircuitBreaker`",
    action: "call `enableCircuitBreaker` first",
  },
};
