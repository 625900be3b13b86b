import { type Awaitable, type Handler, isPromise } from "../middleware/middleware.ts";
import { OpenOperation } from "./open-operation.ts";
import type { OperationChannels } from "./operation-channels.ts";
import type { Listeners } from "./operation-listener.ts";
import type { Attributes, OperationDefinition } from "./traced-operation.ts";

/** Emits the operations of one kind. Without listeners this costs one check and allocates nothing. */
export interface Operations<In, Out = unknown> {
  /** Whether there is a listener or subscriber. */
  readonly isObserved: boolean;
  /**
   * Runs work as one operation and publishes its start, error and end. Synchronous work stays synchronous; errors pass through.
   *
   * Has the signature of a middleware.
   */
  run<Result extends Out>(input: In, work: Handler<In, Result>): Awaitable<Result>;
  /** Begins an operation that the caller ends, such as a stream that outlives its promise; `null` without a listener or subscriber. */
  begin(input: In): OperationControl | null;
}

/** Controls a running operation. */
export interface OperationControl {
  /** Runs a part of the work in the operation's asynchronous context. */
  within<T>(work: () => T): T;
  /** Reports an error; may be called again. */
  fail(error: unknown): void;
  /** Ends the operation; further calls do nothing. @param attributes added to the attributes of the start */
  end(attributes?: Attributes): void;
}

/** The dependencies that all emitters of one app share. */
export interface OperationContext {
  readonly app: object | null;
  readonly channels: OperationChannels;
  /** Receives the error of a listener that throws. */
  readonly onListenerError: (error: unknown) => void;
  /** Monotonic time in milliseconds. */
  readonly now: () => number;
}

/** Creates the emitter of one kind. */
export const createOperations = <In, Out>(
  definition: OperationDefinition<In, Out>,
  listeners: Listeners,
  context: OperationContext,
): Operations<In, Out> => {
  const { kind, role } = definition;
  const { channels } = context;
  const { start, error, end } = channels;
  const isObserved = (): boolean =>
    listeners.length > 0 || start.hasSubscribers || end.hasSubscribers || error.hasSubscribers;
  const open = (input: In): OpenOperation => {
    const { name, attributes = {}, subject } = definition.describe(input);
    const parent = channels.current();
    return new OpenOperation(
      {
        kind,
        role,
        name,
        attributes,
        subject: subject ?? parent?.subject ?? null,
        parent,
      },
      { ...context, listeners: [...listeners] },
    );
  };
  const outcome = (output: Out): Attributes => definition.outcome?.(output) ?? {};
  return {
    get isObserved() {
      return isObserved();
    },
    begin: (input) => (isObserved() ? open(input) : null),
    run: (input, work) => (isObserved() ? runTraced(open(input), () => work(input), outcome) : work(input)),
  };
};

const runTraced = <Out>(
  operation: OpenOperation,
  work: () => Awaitable<Out>,
  outcome: (output: Out) => Attributes,
): Awaitable<Out> => {
  const fail = (thrown: unknown): never => {
    operation.fail(thrown);
    operation.end();
    throw thrown;
  };
  const succeed = (output: Out): Out => {
    operation.end(outcome(output));
    return output;
  };
  let output: Awaitable<Out>;
  try {
    output = operation.within(work);
  } catch (thrown) {
    return fail(thrown);
  }
  return isPromise(output) ? output.then(succeed, fail) : succeed(output);
};
