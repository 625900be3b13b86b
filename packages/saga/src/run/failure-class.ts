import { FrameworkError, type Logger } from "@framework/core";
import { describeInvalid, isPromise, toError } from "@framework/core/feature";
import { SagaReject } from "../errors/saga-reject.ts";

/**
 * Class of a step's error. `reject`: a business rejection, the saga is compensated at once; `transient`: the step is retried; `bug`: the saga is
 * paused; `machinery`: a failure of the infrastructure, the attempt is repeated and does not count.
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
  "DATABASE_TRANSACTION_CONTROL",
  "DATABASE_BAD_BATCH",
  "DATABASE_BAD_NAME",
  "DATABASE_BAD_NOTIFICATION",
  "DATABASE_BAD_PARAMETERS",
  "DATABASE_BAD_SIGNAL",
  "DATABASE_BAD_STATEMENT",
  "DATABASE_BAD_TIMEOUT",
  "DATABASE_BAD_TRANSACTION",
  "DATABASE_BAD_VALUE",
  "DATABASE_COPY",
  "DATABASE_NOT_ONE_STATEMENT",
  "DATABASE_TOO_MANY_CALLBACKS",
  "DURABLE_BAD_WORK",
  "JOBS_BAD_INPUT",
  "MESSAGING_BAD_MESSAGE",
  "MESSAGING_TOO_LARGE",
  "EVENTS_BAD_APPEND",
  "EVENTS_BAD_DECIDER",
  "EVENTS_BAD_NAME",
  "EVENTS_EVOLVE_FAILED",
  "EVENTS_INVALID_DATA",
  "EVENTS_TOO_LARGE",
  "EVENTS_UNKNOWN_TYPE",
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
const transientKinds = new Set<unknown>(["serialization", "deadlock", "cancelled", "timeout"]);

/** Classifies an error by its name and code, so that errors from other copies of a package are recognised. */
export const failureClass = (error: unknown): FailureClass => {
  if (SagaReject.is(error)) return "reject";
  if (!Error.isError(error)) return "transient";
  const { name, code, kind } = toError(error) as Error & { readonly code?: unknown; readonly kind?: unknown };
  if (name === "NonRetryableError") return "reject";
  if (code === "DATABASE_TRANSACTION_TIMEOUT") return "transient"; // a limit of the program, which every attempt may reach
  if (machineryNames.has(name) || machineryCodes.has(code)) return "machinery";
  if (bugCodes.has(code)) return "bug";
  if (FrameworkError.is(error) && code === "DATABASE_STATEMENT_FAILED")
    return transientKinds.has(kind) ? "transient" : "bug";
  if (bugNames.has(name)) return isConnectionError(error) ? "transient" : "bug";
  return "transient";
};

/**
 * Returns a function that classifies errors by the app's rule, then by the rules of the package. If the app's rule throws or returns anything else, such as a
 * promise, the rules of the package apply: otherwise the rule's own error would repeat the attempt forever, and an unknown class would compensate the saga.
 */
export const classifier =
  (classify: ((error: unknown) => FailureClass | undefined) | undefined, log: () => Logger) =>
  (error: unknown): FailureClass => {
    try {
      const own: unknown = classify?.(error) ?? failureClass(error);
      if (isFailureClass(own)) return own;
      if (isPromise(own)) own.then(undefined, () => {}); // a rejection without a listener would end the process
      throw new TypeError(`classify returned ${describeInvalid(own)}, which is not a class of errors`);
    } catch (thrown) {
      log().error("saga: classify failed; the error of a step is classified by the rules of the package", {
        error: thrown,
        classified: error,
      });
      return failureClass(error);
    }
  };

const isFailureClass = (value: unknown): value is FailureClass =>
  value === "reject" || value === "transient" || value === "bug" || value === "machinery";

/** `fetch` throws a TypeError when the network fails, with the connection error as its cause. */
const isConnectionError = ({ cause }: Error): boolean =>
  Error.isError(cause) && typeof (cause as { code?: unknown }).code === "string";
