import type { Awaitable, DependenciesOf, Injections, RetryPolicy, StandardSchema } from "@framework/core";
import type { ConfigInput } from "@framework/core/feature";
import type { Transaction } from "@framework/database";
import type { StepContext, UndoContext } from "./context.ts";
import type { Duration } from "./duration.ts";
import type { OnUnknown } from "./step.ts";
import type { StoredOutput } from "./stored.ts";

/** Limits of the attempts at a step. */
export interface AttemptOptions {
  /** Attempts and delays after transient errors; each field has its default. @default `SagaConfig.maxRetries` retries, from 1 s, doubled up to 30 s */
  readonly retry?: ConfigInput<RetryPolicy>;
  /** Time limit of one attempt in milliseconds, 1 to 86,400,000. @default `SagaConfig.stepTimeoutMs` */
  readonly timeoutMs?: number;
}

/** A function of a step with these arguments, and its dependencies as an additional last argument, if there are any. */
export type StepFunction<Args extends readonly unknown[], Out, Inject extends Injections | undefined> = [
  NonNullable<Inject>,
] extends [never] // two complete function types: with an optional parameter, the default `mailer = Depends(Mailer)` would not type-check
  ? (...args: Args) => Awaitable<Out>
  : (...args: readonly [...Args, dependencies: DependenciesOf<Inject>]) => Awaitable<Out>;

/** The work of a `tx` step. */
export type TxRun<Input, Outputs, Out, Inject extends Injections | undefined = undefined> = StepFunction<
  readonly [context: StepContext<Input, Outputs>, tx: Transaction],
  Out,
  Inject
>;

/** The work of a `call` step. */
export type CallRun<Input, Outputs, Out, Inject extends Injections | undefined = undefined> = StepFunction<
  readonly [context: StepContext<Input, Outputs>],
  Out,
  Inject
>;

/** Dependencies of a step. */
export interface InjectOption<Inject extends Injections | undefined> {
  /** Dependencies, passed to the functions of the step as their last argument; dependencies of scope `invocation` live as long as the call. @default none */
  readonly inject?: Inject;
}

/** Options of a `tx` step. */
export interface TxOptions<Input, Outputs, Out, Inject extends Injections | undefined = undefined>
  extends AttemptOptions, InjectOption<Inject> {
  /** Undoes the step, inside the transaction that records it: exactly once. @default nothing to undo */
  readonly undo?: StepFunction<
    readonly [context: UndoContext<Input, Outputs>, output: StoredOutput<Out>, tx: Transaction],
    unknown,
    Inject
  >;
}

/** Options of a `call` step. */
export interface CallOptions<Input, Outputs, Out, Inject extends Injections | undefined = undefined>
  extends AttemptOptions, InjectOption<Inject> {
  /**
   * Undoes the step. It may be called again after a crash, and for a step that may not have taken effect: `output` is then `undefined`.
   * `context.stepKey` is the idempotency key of the step, `context.idempotencyKey` the key of the undo.
   * @default nothing to undo
   */
  readonly undo?: StepFunction<
    readonly [context: UndoContext<Input, Outputs>, output: StoredOutput<Out> | undefined],
    unknown,
    Inject
  >;
  /** Finds out whether an attempt with an unknown outcome took effect: returns its output, or `null` if it did not. @default none */
  readonly check?: StepFunction<
    readonly [context: StepContext<Input, Outputs>],
    { readonly output: Awaited<Out> } | null,
    Inject
  >;
  /**
   * Action after a worker was lost during an attempt: `retry` with the same idempotency key, call `check`, or `manual`, which pauses the saga for an
   * operator. @default "check" with `check`, otherwise "retry"
   */
  readonly onUnknown?: OnUnknown;
}

/** A branch of a `parallel` step, returned by `MakeBranch`. */
export interface CallBranch<Out> {
  /** Work and options, untyped. */
  readonly work: object;
  /** For types only; absent at run time. */
  readonly "~out"?: Out;
}

/** Makes a branch of a `parallel` step. */
export type MakeBranch<Input, Outputs> = <Out, const Inject extends Injections | undefined = undefined>(
  run: CallRun<Input, Outputs, Out, Inject>,
  options?: CallOptions<Input, Outputs, Awaited<Out>, Inject>,
) => CallBranch<Awaited<Out>>;

/** Options of `waitFor`. */
export interface WaitOptions<S extends StandardSchema | undefined = undefined> {
  /** Maximum wait, after which the saga is compensated, or paused if the pivot has passed. @default "24h" */
  readonly timeout?: Duration;
  /** Schema of the message's data. @default any JSON value */
  readonly schema?: S;
}

/** A message that a saga sends through `@framework/messaging`. */
export interface MessageToSend {
  /** Topic of the message. */
  readonly topic: string;
  /** Type of the message, such as `order.shipped`. */
  readonly type: string;
  /** A JSON value. */
  readonly data?: unknown;
  /** Messages with the same key keep their order. @default the saga's key */
  readonly key?: string | undefined;
}
