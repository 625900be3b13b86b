import { FrameworkError, type GuardOptions, type HttpRequest, type Invocation } from "@framework/core";
import type { OpenScope } from "@framework/core/feature";
import type { GraphqlContext, Loader } from "./graphql-context.ts";
import { LoaderBatches } from "./loader.ts";

/** What the feature keeps for one operation. */
export interface OperationState {
  readonly scope: OpenScope;
  readonly guardOptions: GuardOptions;
}

/** Returns what the feature keeps for the context. @throws GRAPHQL_FOREIGN_CONTEXT */
export const stateOf = (context: object): OperationState => {
  if (context instanceof OperationContext) return context[stateKey];
  throw new FrameworkError(
    "GRAPHQL_FOREIGN_CONTEXT",
    "graphql: execute this schema through the app's endpoint",
  );
};

/** A member of the context rather than an entry of a WeakMap, which every collection would walk. */
const stateKey = Symbol("state");

class OperationContext implements GraphqlContext {
  readonly request: HttpRequest;
  readonly invocation: Invocation;
  readonly [stateKey]: OperationState;
  private batches: LoaderBatches | null = null;

  constructor(request: HttpRequest, state: OperationState) {
    this.request = request;
    this.invocation = state.scope.invocation;
    this[stateKey] = state;
  }

  get signal(): AbortSignal {
    return this.invocation.signal;
  }

  load<K, V>(loader: Loader<K, V>, key: K): Promise<V> {
    return (this.batches ??= new LoaderBatches(this, this[stateKey].scope)).load(loader, key);
  }

  clear<K, V>(loader: Loader<K, V>, key: K): void {
    this.batches?.clear(loader, key);
  }
}

/** Throws after the end of interest in an operation. The context of other code has none. */
export const stopIfAborted = (context: unknown): void => {
  if (context instanceof OperationContext) context.signal.throwIfAborted();
};

/** Creates the context of one operation, or of one event of a subscription: nothing in it is shared with another. */
export const createContext = (request: HttpRequest, state: OperationState): GraphqlContext =>
  new OperationContext(request, state);

/** Adds the program's members to a context; its own members cannot be replaced. */
export const addValues = <T extends object>(context: GraphqlContext, values: T): GraphqlContext & T => {
  for (const [name, value] of Object.entries(values))
    if (!(name in context)) Object.defineProperty(context, name, { value, enumerable: true });
  return context as GraphqlContext & T;
};
