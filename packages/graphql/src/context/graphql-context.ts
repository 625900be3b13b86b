import type { HttpRequest, Invocation } from "@framework/core";
import type { OpenScope } from "@framework/core/feature";

/** Context of resolvers; the option `context` adds the program's own members. */
export interface GraphqlContext {
  /** The operation as an invocation: guards and dependencies see it. Its context is that of the request or the connection. */
  readonly invocation: Invocation;
  /** The HTTP request, or the one that opened the socket. */
  readonly request: HttpRequest;
  /** Aborts when the result is no longer wanted: the client disconnected, completed the subscription, or a timeout expired. */
  readonly signal: AbortSignal;
  /** Loads a value. Keys requested at the same time form one batch, and each is loaded once per operation. */
  load<K, V>(loader: Loader<K, V>, key: K): Promise<V>;
  /** Removes a key from a loader's cache, so that the next `load` fetches it again, such as after a mutation. */
  clear<K, V>(loader: Loader<K, V>, key: K): void;
}

/** Loads values by key in batches, once per key and operation; made by `createLoader`. */
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
  /** Maximum keys of one batch. */
  readonly maxBatch: number;
  /** Maximum keys of one operation. */
  readonly maxKeys: number;
}
