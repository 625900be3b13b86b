import { FrameworkError } from "@framework/core";
import { SagaReject } from "../errors/saga-reject.ts";

/**
 * What follows from an error of a step. `reject`: the business says no, so the saga is compensated now; `transient`: another attempt; `bug`: the saga is
 * paused; `machinery`: nothing counts, and the attempt is repeated.
 */
export type FailureClass = "reject" | "transient" | "bug" | "machinery";

const bugNames = new Set([
  "TypeError",
  "ReferenceError",
  "SyntaxError",
  "RangeError",
  "EvalError",
  "URIError",
  "AssertionError",
  "ConfigurationError",
]);
const bugCodes = new Set([
  "SAGA_BAD_VALUE",
  "SAGA_NO_MESSAGING",
  "DATABASE_TRANSACTION_ABORTED",
  "DATABASE_TRANSACTION_NESTED",
  "DATABASE_TRANSACTION_IDLE",
  "DATABASE_TRANSACTION_OVER",
  "DATABASE_BAD_STATEMENT",
  "DATABASE_BAD_VALUE",
]);
const machineryCodes = new Set(["SAGA_STALE", "DURABLE_LOST", "DURABLE_LEASE_LOST", "DURABLE_BUSY"]);
const machineryNames = new Set(["DatabaseUnavailableError", "CommitUnknownError"]);
const passingKinds = new Set(["serialization", "deadlock", "canceled", "timeout"]);

/** Classifies an error by its shape, so that several copies of a package understand each other. */
export const failureClass = (error: unknown): FailureClass => {
  if (SagaReject.is(error)) return "reject";
  if (!Error.isError(error)) return "transient";
  const { name, code, kind } = error as Error & { readonly code?: unknown; readonly kind?: unknown };
  if (name === "NonRetryableError") return "reject";
  if (machineryNames.has(name) || machineryCodes.has(String(code))) return "machinery";
  if (bugCodes.has(String(code))) return "bug";
  if (FrameworkError.is(error) && code === "DATABASE_STATEMENT_FAILED")
    return passingKinds.has(String(kind)) ? "transient" : "bug";
  if (bugNames.has(name)) return isConnectionError(error) ? "transient" : "bug";
  return "transient";
};

/** `fetch` throws a TypeError when the network fails, with the error of the connection as its cause. */
const isConnectionError = ({ cause }: Error): boolean =>
  Error.isError(cause) && typeof (cause as { code?: unknown }).code === "string";
