import { FrameworkError, type GuardOptions, type HttpRequest, type Invocation } from "@framework/core";
import type { OpenScope } from "@framework/core/feature";
import { type Loader, LoaderBatches } from "./loader.ts";

/** What resolvers get as their context, besides the program's own members. */
export interface GraphqlContext {
  /** The operation as an invocation: guards and dependencies see it. Its context is that of the request or the connection. */
  readonly invocation: Invocation;
  /** The HTTP request, or the one that opened the socket. */
  readonly request: HttpRequest;
  /** Aborts when the result is no longer wanted: the client disconnected, completed the subscription, or a timeout expired. */
  readonly signal: AbortSignal;
  /** Loads a value: keys that are asked for at the same time are one batch, and each is loaded once per operation. */
  load<K, V>(loader: Loader<K, V>, key: K): Promise<V>;
}

/** What the feature keeps for one operation. */
export interface OperationState {
  readonly scope: OpenScope;
  readonly guardOptions: GuardOptions;
}

const states = new WeakMap<object, OperationState>();

/** Returns what the feature keeps for the context. @throws GRAPHQL_FOREIGN_CONTEXT */
export const stateOf = (context: object): OperationState => {
  const state = states.get(context);
  if (state !== undefined) return state;
  throw new FrameworkError(
    "GRAPHQL_FOREIGN_CONTEXT",
    "graphql: execute this schema through the app's endpoint",
  );
};

/** Creates the context of one operation, or of one event of a subscription: nothing in it is shared with another. */
export const createContext = (request: HttpRequest, state: OperationState): GraphqlContext => {
  const { invocation } = state.scope;
  let batches: LoaderBatches | null = null;
  const context: GraphqlContext = {
    invocation,
    request,
    get signal() {
      return invocation.signal;
    },
    load: (loader, key) => (batches ??= new LoaderBatches(context, state.scope)).load(loader, key),
  };
  states.set(context, state);
  return context;
};

/** Adds the program's members to a context; its own members cannot be replaced. */
export const addValues = <T extends object>(context: GraphqlContext, values: T): GraphqlContext & T => {
  for (const [name, value] of Object.entries(values))
    if (!(name in context)) Object.defineProperty(context, name, { value, enumerable: true });
  return context as GraphqlContext & T;
};
