import type { HttpRequest, Invocation } from "@framework/core";
import type { OpenScope } from "@framework/core/feature";

/** Context of resolvers; the option `context` adds members. */
export interface GraphqlContext {
  /** The operation as an invocation, for guards and dependencies. Its context is the context of the request or the connection. */
  readonly invocation: Invocation;
  /** The HTTP request; over WebSocket, the upgrade request. */
  readonly request: HttpRequest;
  /** Aborts when the result is no longer needed: the client has disconnected or completed the operation, or a timeout has expired. */
  readonly signal: AbortSignal;
  /**
   * Loads a value. Keys requested at the same time form a batch, and each key is loaded once per operation.
   *
   * @throws GRAPHQL_LOADER_FULL above `maxKeys`, GRAPHQL_BAD_BATCH, and the error of a key
   */
  load<K, V>(loader: Loader<K, V>, key: K): Promise<V>;
  /** Removes a key from a loader's cache, such as after a mutation; the next `load` fetches it again. */
  clear<K, V>(loader: Loader<K, V>, key: K): void;
}

/** Loads values by key in batches, once per key and operation; created by `createLoader`. */
export interface Loader<K, V> {
  /** Name in error messages. */
  readonly name: string;
  /** Loads one batch. */
  readonly load: (
    keys: readonly K[],
    context: GraphqlContext,
    scope: OpenScope,
  ) => Promise<readonly (V | Error)[]>;
  /** Returns the identity of a key; equal identities share a value. */
  readonly id: (key: K) => unknown;
  /** Maximum number of keys in a batch. */
  readonly maxBatch: number;
  /** Maximum number of keys in an operation. */
  readonly maxKeys: number;
}
