import type { Invocation } from "@framework/core";
import type { AnyOperation } from "../definitions/operation.ts";
import type { RawInput } from "../definitions/valid-input.ts";
import type { HandledOperation } from "../handlers/handler-types.ts";
import type { Deadline } from "../time/deadline.ts";

/** Immutable data of one call of a command or query. */
export interface OperationCall<O extends AnyOperation = AnyOperation> extends RawInput {
  readonly handled: HandledOperation<O>;
  readonly invocation: Invocation;
  readonly tenant: string;
  /** Whether the guards were already checked, or do not apply. */
  readonly skipGuards: boolean;
  readonly deadline: Deadline;
}

/** Mutable state of one call in the pipeline. */
export class OperationRun<O extends AnyOperation, Call extends OperationCall<O> = OperationCall<O>> {
  readonly call: Call;
  /** The validated input. */
  input: unknown = undefined;
  /** Number of attempts. */
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

/** The state of any call. */
export type AnyRun = Pick<OperationRun<AnyOperation>, "call" | "operation" | "input" | "attempts">;
