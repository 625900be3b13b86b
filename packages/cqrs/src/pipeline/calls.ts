import type { Handler } from "@framework/core";
import type { AnyOperation } from "../definitions/operation.ts";
import { MAX_RUNNING } from "../limits.ts";
import { type CallRequest, type CallSources, newCall } from "./call-options.ts";
import { ConcurrencyLimit } from "./concurrency-limit.ts";
import type { OperationCall } from "./operation-run.ts";
import type { Outcome, Success } from "./outcome.ts";

/** Options of `Calls`. */
export interface CallsOptions {
  /** `commands` or `queries`, for messages. */
  readonly plural: string;
  /** Creates the error of a call that exceeds its time limit. */
  readonly timeoutError: (timeoutMs: number) => Error;
}

/** Prepares and runs the calls of one kind of operation, limits their concurrency in this process, and throws the error of a failed outcome. */
export class Calls<O extends AnyOperation> {
  private readonly sources: CallSources;
  private readonly timeoutError: (timeoutMs: number) => Error;
  private readonly limit: ConcurrencyLimit;

  constructor(sources: CallSources, { plural, timeoutError }: CallsOptions) {
    this.sources = sources;
    this.timeoutError = timeoutError;
    this.limit = new ConcurrencyLimit(plural, MAX_RUNNING);
  }

  /** Prepares a call. @throws CQRS_NO_HANDLER; errors of `tenantOf` */
  of(operation: O, input: unknown, request: CallRequest): OperationCall<O> {
    return newCall(this.sources, operation, input, request, this.timeoutError);
  }

  /** Runs a call through its pipeline. @throws the error of a failed outcome; HttpError 503 (CQRS_BUSY) if too many are running */
  async run<Run>(pipeline: Handler<Run, Outcome>, run: Run): Promise<Success> {
    const outcome = await this.limit.run(async () => pipeline(run));
    if (!outcome.ok) throw outcome.error;
    return outcome;
  }
}
