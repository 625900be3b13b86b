import type { HttpError } from "@framework/core";
import type { WorkInfo } from "@framework/durable/feature";

/** Status of a queued command. */
export interface CommandStatus {
  /** Name of the command. */
  readonly command: string;
  /** `waiting` for a worker or a retry, `running`, or its outcome. */
  readonly state: "waiting" | "running" | "done" | "failed" | "cancelled";
  /** The result; only if it is done. */
  readonly result?: unknown;
  /** Token for `after` of queries, as returned by `execute`; only if it is done and appended events. */
  readonly token?: string;
  /** Body of the error reply: for a rejection the same as for a direct call, for any other failure a generic 500; only if it failed. */
  readonly failure?: FailureBody;
}

/** Body of an error reply. */
export interface FailureBody {
  /** Status code of the reply. */
  readonly status: number;
  /** Code or title of the error. */
  readonly error: string;
  /** Description of the failure, for the client. */
  readonly detail: string;
  readonly [extra: string]: unknown;
}

/** Outcome stored with the work item. */
export type StoredOutcome =
  | { readonly value: unknown; readonly token: string | null }
  | { readonly failure: FailureBody };

/** Payload of the work item. */
export interface QueuedCommand {
  readonly command: string;
  readonly input: unknown;
}

/** Returns the body of the error reply. */
export const failureBody = ({ status, error, detail, extras }: HttpError): FailureBody => ({
  ...extras,
  status,
  error,
  detail,
});

/** Body of a failure whose cause is only logged. */
const internal: FailureBody = { status: 500, error: "Internal Server Error", detail: "The command failed" };

/** Returns the status of the command of a work item. */
export const statusOf = ({ state, payload, result }: WorkInfo): CommandStatus => {
  const { command } = payload as QueuedCommand; // stored by the queue
  switch (state) {
    case "waiting":
    case "ready":
    case "blocked":
      return { command, state: "waiting" };
    case "done":
      return { command, ...doneStatus(result as StoredOutcome) }; // stored by the queue
    case "failed":
    case "parked":
      return { command, state: "failed", failure: internal };
    case "running":
    case "cancelled":
      return { command, state };
  }
};

const doneStatus = (outcome: StoredOutcome): Omit<CommandStatus, "command"> => {
  if ("failure" in outcome) return { state: "failed", failure: outcome.failure };
  const { value, token } = outcome;
  return {
    state: "done",
    ...(value !== undefined && { result: value }),
    ...(token !== null && { token }),
  };
};
