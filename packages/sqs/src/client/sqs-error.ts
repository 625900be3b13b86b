import { FrameworkError } from "@framework/core";
import { messageOf } from "@framework/core/feature";

/** Returns the name of an SQS error, without the prefix of a service and the suffix `Exception`. */
const nameOf = (error: unknown): string =>
  Error.isError(error) ? error.name.replace(/^.*[.#]/, "").replace(/Exception$/, "") : "";

/** Whether an error means that a queue does not exist. */
export const isMissing = (error: unknown): boolean =>
  ["QueueDoesNotExist", "NonExistentQueue"].includes(nameOf(error));

/** Whether an error means that the credentials lack a permission. */
export const isForbidden = (error: unknown): boolean =>
  ["AccessDenied", "AccessDeniedException", "KmsAccessDenied"].includes(nameOf(error));

/** Whether SQS has attributed an error to the client, not to the server. */
export const isRefusal = (error: unknown): boolean =>
  Error.isError(error) && (error as { readonly $fault?: unknown }).$fault === "client";

/** Returns the reason given by SQS, the SDK or the network, for operators, without secrets. */
export const reasonOf = (error: unknown): string => {
  if (!Error.isError(error)) return messageOf(error);
  const { code } = error as { readonly code?: unknown };
  if (error.message !== "") return error.message;
  return typeof code === "string" ? code : error.name;
};

/** Creates the error of a call that may succeed later: SQS did not respond, or had an internal error. */
export const unavailable = (reason: string, cause?: unknown): FrameworkError =>
  new FrameworkError("SQS_UNAVAILABLE", `sqs: not available: ${reason}`, { cause });

/** Creates the error of a call that SQS refused. */
export const refused = (reason: string, cause?: unknown): FrameworkError =>
  new FrameworkError("SQS_REFUSED", `sqs: refused: ${reason}`, { cause });
