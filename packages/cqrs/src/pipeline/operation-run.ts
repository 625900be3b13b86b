import type { Invocation } from "@framework/core";
import type { AnyOperation } from "../definitions/operation.ts";
import type { RawInput } from "../definitions/valid-input.ts";
import type { Handled } from "../handlers/handler-types.ts";
import type { Deadline } from "../time/deadline.ts";

/** The fixed part of one call of a command or query. */
export interface OperationCall<O extends AnyOperation = AnyOperation> extends RawInput {
  readonly handled: Handled<O>;
  readonly invocation: Invocation;
  readonly tenant: string;
  /** Whether guards have let the caller pass, or do not apply. */
  readonly isAllowed: boolean;
  readonly deadline: Deadline;
}

/** One call on its way through the pipeline. */
export class OperationRun<O extends AnyOperation, Call extends OperationCall<O> = OperationCall<O>> {
  readonly call: Call;
  /** The validated input. */
  input: unknown = undefined;
  /** Calls of the handler, or of its transaction. */
  attempts = 0;

  constructor(call: Call) {
    this.call = call;
  }

  get operation(): O {
    return this.call.handled.operation;
  }

  get signal(): AbortSignal {
    return this.call.deadline.signal;
  }
}

/** Any call on its way. */
export type AnyRun = Pick<OperationRun<AnyOperation>, "call" | "operation" | "input" | "attempts">;
