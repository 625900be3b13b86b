import { operationChannels } from "./operation-channels.ts";
import { type OperationListener, OperationListeners } from "./operation-listener.ts";
import { createOperations, type OperationContext, type Operations } from "./operations.ts";
import type { OperationDefinition, TracedOperation } from "./traced-operation.ts";

/** The operations of one app: who performs them, and who listens. */
export class AppOperations {
  private readonly listeners: OperationListeners = new OperationListeners();
  private readonly context: OperationContext;

  /** @param failed told when a listener throws */
  constructor(app: object, failed: (error: unknown) => void) {
    this.context = { app, channels: operationChannels(), failed, now };
  }

  /** The emitter of one kind; several features may perform operations of the same kind. */
  of<In, Out = unknown>(definition: OperationDefinition<In, Out>): Operations<In, Out> {
    return createOperations(definition, this.listeners.of(definition.kind), this.context);
  }

  listen<State>(listener: OperationListener<State>): () => void {
    return this.listeners.add(listener);
  }
}

/** The operation that the running code is part of; `null` outside of one, and while nobody listens. */
export const currentOperation = (): TracedOperation | null => operationChannels().current();

/** Operations outside of an app, as of a database that a script opens: published on the channels only. */
export const operationsWithoutApp = <In, Out = unknown>(
  definition: OperationDefinition<In, Out>,
): Operations<In, Out> =>
  createOperations(definition, [], {
    app: null,
    channels: operationChannels(),
    failed: () => {}, // there are no listeners that could fail
    now,
  });

const now = (): number => performance.now();
