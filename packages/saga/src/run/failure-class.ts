import { FrameworkError, type Logger } from "@framework/core";
import { toError } from "@framework/core/feature";
import { SagaReject } from "../errors/saga-reject.ts";

/**
 * What follows from an error of a step. `reject`: the business says no, so the saga is compensated now; `transient`: another attempt; `bug`: the saga is
 * paused; `machinery`: nothing counts, and the attempt is repeated.
 */
export type FailureClass = "reject" | "transient" | "bug" | "machinery";

const bugNames = new Set<unknown>([
  "TypeError",
  "ReferenceError",
  "SyntaxError",
  "RangeError",
  "EvalError",
  "URIError",
  "AssertionError",
  "ConfigurationError",
]);
const bugCodes = new Set<unknown>([
  "SAGA_BAD_VALUE",
  "SAGA_NO_MESSAGING",
  "SAGA_NO_WAIT",
  "DATABASE_TRANSACTION_ABORTED",
  "DATABASE_TRANSACTION_NESTED",
  "DATABASE_TRANSACTION_IDLE",
  "DATABASE_TRANSACTION_OVER",
  "DATABASE_BAD_STATEMENT",
  "DATABASE_BAD_VALUE",
  "CORE_DEPENDENCY_CYCLE",
  "CORE_DEPENDENCY_DUPLICATE",
  "CORE_DEPENDENCY_MISSING",
  "CORE_DEPENDENCY_SCOPE",
  "CORE_DEPENDS_ASYNC",
  "CORE_DEPENDS_OUTSIDE",
]);
const machineryCodes = new Set<unknown>([
  "SAGA_STALE",
  "DURABLE_LOST",
  "DURABLE_LEASE_LOST",
  "DURABLE_BUSY",
  "CORE_TOO_MANY_INVOCATIONS",
]);
const machineryNames = new Set<unknown>(["DatabaseUnavailableError", "CommitUnknownError"]);
const passingKinds = new Set<unknown>(["serialization", "deadlock", "cancelled", "timeout"]);

/** Classifies an error by its shape, so that several copies of a package understand each other. */
export const failureClass = (error: unknown): FailureClass => {
  if (SagaReject.is(error)) return "reject";
  if (!Error.isError(error)) return "transient";
  const { name, code, kind } = toError(error) as Error & { readonly code?: unknown; readonly kind?: unknown };
  if (name === "NonRetryableError") return "reject";
  if (machineryNames.has(name) || machineryCodes.has(code)) return "machinery";
  if (bugCodes.has(code)) return "bug";
  if (FrameworkError.is(error) && code === "DATABASE_STATEMENT_FAILED")
    return passingKinds.has(kind) ? "transient" : "bug";
  if (bugNames.has(name)) return isConnectionError(error) ? "transient" : "bug";
  return "transient";
};

/**
 * Returns what classifies errors: by the rule of the app, then by those of the package. A rule that throws says nothing about the error, which goes by those
 * of the package: otherwise its own error would repeat the attempt for ever.
 */
export const classifier =
  (classify: ((error: unknown) => FailureClass | undefined) | undefined, log: () => Logger) =>
  (error: unknown): FailureClass => {
    try {
      return classify?.(error) ?? failureClass(error);
    } catch (thrown) {
      log().error("saga: classify threw, so the error of a step goes by the rules of the package", {
        error: thrown,
        classified: error,
      });
      return failureClass(error);
    }
  };

/** `fetch` throws a TypeError when the network fails, with the error of the connection as its cause. */
const isConnectionError = ({ cause }: Error): boolean =>
  Error.isError(cause) && typeof (cause as { code?: unknown }).code === "string";
