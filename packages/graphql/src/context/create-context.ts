import { FrameworkError, type GuardOptions, type HttpRequest } from "@framework/core";
import type { OpenScope } from "@framework/core/feature";
import type { GraphqlContext } from "./graphql-context.ts";
import { LoaderBatches } from "./loader.ts";

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
    clear: (loader, key) => batches?.clear(loader, key),
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
