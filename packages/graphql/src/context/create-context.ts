import { FrameworkError, type HttpRequest, type Invocation } from "@framework/core";
import type { GraphqlContext, Loader } from "./graphql-context.ts";
import { LoaderBatches } from "./loader.ts";
import type { OperationScope } from "./operation-scope.ts";

/** Returns the scope of a context's operation; `null` for a context that this package did not create. */
export const ownScopeOf = (context: unknown): OperationScope | null =>
  context instanceof OperationContext ? context[scopeKey] : null;

/** Returns the scope of a context's operation. @throws GRAPHQL_UNKNOWN_CONTEXT for a context that this package did not create */
export const scopeOf = (context: object): OperationScope => {
  const scope = ownScopeOf(context);
  if (scope !== null) return scope;
  throw new FrameworkError(
    "GRAPHQL_UNKNOWN_CONTEXT",
    "graphql: execute this schema through the app's endpoint",
  );
};

/** Key of the scope. A member, because every garbage collection would traverse a WeakMap. */
const scopeKey = Symbol("scope");
/** Key of the loaders. A symbol, because any name may be a member that the option `context` adds. */
const batchesKey = Symbol("batches");

class OperationContext implements GraphqlContext {
  readonly request: HttpRequest;
  readonly invocation: Invocation;
  readonly [scopeKey]: OperationScope;
  [batchesKey]: LoaderBatches | null = null;

  constructor(request: HttpRequest, scope: OperationScope) {
    this.request = request;
    this.invocation = scope.invocation;
    this[scopeKey] = scope;
  }

  get signal(): AbortSignal {
    return this.invocation.signal;
  }

  load<K, V>(loader: Loader<K, V>, key: K): Promise<V> {
    return (this[batchesKey] ??= new LoaderBatches(this, this[scopeKey])).load(loader, key);
  }

  clear<K, V>(loader: Loader<K, V>, key: K): void {
    this[batchesKey]?.clear(loader, key);
  }
}

/** Throws the reason if the operation was aborted. Does nothing for a context that this package did not create. */
export const stopIfAborted = (context: unknown): void => {
  if (context instanceof OperationContext) context.signal.throwIfAborted();
};

/** Creates the context of one operation, or of one event of a subscription, with its own loaders. */
export const createContext = (request: HttpRequest, scope: OperationScope): GraphqlContext =>
  new OperationContext(request, scope);

/** Adds members to a context, from the option `context`. They cannot replace the context's own members. An untyped program may return nothing. */
export const addValues = <T extends object>(
  context: GraphqlContext,
  values: T | null | undefined,
): GraphqlContext & T => {
  for (const [name, value] of Object.entries(values ?? {}))
    if (!(name in context)) Object.defineProperty(context, name, { value, enumerable: true });
  return context as GraphqlContext & T;
};
