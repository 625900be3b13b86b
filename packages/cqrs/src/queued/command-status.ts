import type { HttpError } from "@framework/core";
import type { WorkInfo } from "@framework/durable/feature";

/** A queued command as its caller sees it. */
export interface CommandStatus {
  /** Name of the command. */
  readonly command: string;
  /** Whether it waits for a worker or a retry, runs, or how it ended. */
  readonly state: "waiting" | "running" | "done" | "failed" | "cancelled";
  /** The result; only when it is done. */
  readonly result?: unknown;
  /** Stands for its events, as of `execute`; only when it is done and appended any. */
  readonly token?: string;
  /** Why it failed: the body of the reply that a direct call would have got. */
  readonly failure?: FailureBody;
}

/** The one error shape. */
export interface FailureBody {
  /** Status code of the reply. */
  readonly status: number;
  /** Code or title of the error. */
  readonly error: string;
  /** Description of the failure, for the client. */
  readonly detail: string;
  readonly [extra: string]: unknown;
}

/** The result that is stored with the work. */
export type StoredOutcome =
  | { readonly value: unknown; readonly token: string | null }
  | { readonly failure: FailureBody };

/** Payload of the work. */
export interface QueuedCommand {
  readonly command: string;
  readonly input: unknown;
}

/** Returns the body of an error that clients may see. */
export const failureBody = ({ status, error, detail, extras }: HttpError): FailureBody => ({
  ...extras,
  status,
  error,
  detail,
});

/** A failure whose cause belongs in the log only. */
const internal: FailureBody = { status: 500, error: "Internal Server Error", detail: "The command failed" };

/** Returns the status of work. */
export const statusOf = ({ state, payload, result }: WorkInfo): CommandStatus => {
  const { command } = payload as QueuedCommand; // as the queue stored it
  switch (state) {
    case "waiting":
    case "ready":
    case "blocked":
      return { command, state: "waiting" };
    case "done":
      return { command, ...doneStatus(result as StoredOutcome) }; // as the queue stored it
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
