import { type Awaitable, type Handler, isPromise } from "../middleware/middleware.ts";
import { OpenOperation } from "./open-operation.ts";
import type { OperationChannels } from "./operation-channels.ts";
import type { Listeners } from "./operation-listener.ts";
import type { Attributes, OperationDefinition } from "./traced-operation.ts";

/** Performs the operations of one kind, so that listeners hear of each; while nobody listens it adds one check and builds nothing. */
export interface Operations<In, Out = unknown> {
  /** Whether somebody listens. */
  readonly isObserved: boolean;
  /**
   * Runs work as one operation: its start, its error, its end. Synchronous work stays synchronous, and errors pass through.
   *
   * It has the shape of a middleware, so a chain can hold it.
   */
  run<Result extends Out>(input: In, work: Handler<In, Result>): Awaitable<Result>;
  /** Begins an operation that is ended by hand, such as a stream that outlives its promise; `null` while nobody listens. */
  begin(input: In): OperationControl | null;
}

/** One operation under way. */
export interface OperationControl {
  /** Runs a part of it in its asynchronous context. */
  within<T>(work: () => T): T;
  /** Reports an error; may be called again. */
  fail(error: unknown): void;
  /** Ends it; further calls do nothing. @param attributes added to those of the start */
  end(attributes?: Attributes): void;
}

/** What emitters of one app have in common. */
export interface OperationContext {
  readonly app: object | null;
  readonly channels: OperationChannels;
  /** Told when a listener throws. */
  readonly failed: (error: unknown) => void;
  /** Milliseconds that never go back. */
  readonly now: () => number;
}

/** The emitter of one kind. */
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
  const failed = (thrown: unknown): never => {
    operation.fail(thrown);
    operation.end();
    throw thrown;
  };
  const ended = (output: Out): Out => {
    operation.end(outcome(output));
    return output;
  };
  let output: Awaitable<Out>;
  try {
    output = operation.within(work);
  } catch (thrown) {
    return failed(thrown);
  }
  return isPromise(output) ? output.then(ended, failed) : ended(output);
};
