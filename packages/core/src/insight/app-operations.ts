import { operationChannels } from "./operation-channels.ts";
import { type OperationListener, OperationListeners } from "./operation-listener.ts";
import { createOperations, type OperationContext, type Operations } from "./operations.ts";
import type { OperationDefinition, TracedOperation } from "./traced-operation.ts";

/** The operations of one app, with their listeners. */
export class AppOperations {
  private readonly listeners: OperationListeners = new OperationListeners();
  private readonly context: OperationContext;

  /** @param onListenerError receives the error of a listener that throws */
  constructor(app: object, onListenerError: (error: unknown) => void) {
    this.context = { app, channels: operationChannels(), onListenerError, now };
  }

  /** Creates an emitter of one kind; several features may share a kind. */
  of<In, Out = unknown>(definition: OperationDefinition<In, Out>): Operations<In, Out> {
    return createOperations(definition, this.listeners.of(definition.kind), this.context);
  }

  /** Adds a listener. Returns a function that removes it. */
  listen<State>(listener: OperationListener<State>): () => void {
    return this.listeners.add(listener);
  }
}

/** Returns the operation of the current asynchronous context; `null` outside an operation, and without listeners. */
export const currentOperation = (): TracedOperation | null => operationChannels().current();

/** Creates an emitter for work outside an app, such as a script's database; it publishes on the channels only. */
export const operationsWithoutApp = <In, Out = unknown>(
  definition: OperationDefinition<In, Out>,
): Operations<In, Out> =>
  createOperations(definition, [], {
    app: null,
    channels: operationChannels(),
    onListenerError: () => {}, // without listeners, none can throw
    now,
  });

const now = (): number => performance.now();
