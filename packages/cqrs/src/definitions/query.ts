import type { Guard, InferOutput, StandardSchema } from "@framework/core";
import type { AnyEventType } from "@framework/event-sourcing";
import { type QueryEndpoint, queryEndpointNames } from "./endpoint.ts";
import { unknownOptions } from "./unknown-options.ts";

/** Caching of a query's replies, as by the route option `cache`. */
export interface QueryCache {
  /** Event types that invalidate cached replies. @default none */
  readonly invalidatedBy: readonly AnyEventType[];
  /** Seconds for which a reply is fresh. @default the cache's setting */
  readonly ttl?: number;
  /** Seconds for which a stale reply may be served while it is refreshed. @default the cache's setting */
  readonly staleSecs?: number;
  /** Whether authenticated clients share replies; only for results that are the same for all clients. @default false */
  readonly shared?: boolean;
  /** Further tags for `invalidateCache`. @default none */
  readonly tags?: readonly string[];
}

/** Options of a query. */
export interface QueryOptions<Input extends StandardSchema, Output extends StandardSchema> {
  /** Schema of the input. */
  readonly input: Input;
  /** Schema of the result. */
  readonly output: Output;
  /** Time limit in milliseconds, 1 to 3,600,000. @default `CqrsConfig.queryTimeoutMs` */
  readonly timeoutMs?: number;
  /** Guards that decide whether a caller may run the query. @default none */
  readonly guards?: readonly Guard[];
  /**
   * Whether concurrent calls of one caller, with equal claims, credentials and input, share one run of the handler. Set `false` if the result depends on
   * anything other than the input, the caller and the database, such as the header `Accept-Language`. @default true
   */
  readonly coalesce?: boolean;
  /** Names of the projections that the handler reads: `after` waits for these. @default all of the process */
  readonly projections?: readonly string[];
  /** Caching of the endpoint's replies by `@framework/cache`. @default not cached */
  readonly cache?: QueryCache;
  /** An HTTP endpoint for `GET`. @default none */
  readonly http?: QueryEndpoint;
}

/** A query with any input and result. */
export interface AnyQuery {
  /** Distinguishes queries from commands. */
  readonly kind: "query";
  /** Name of the query. */
  readonly name: string;
  /** Schema of the input. */
  readonly input: StandardSchema;
  /** Schema of the result. */
  readonly output: StandardSchema;
  /** Time limit in milliseconds; `null` for the default of `CqrsConfig`. */
  readonly timeoutMs: number | null;
  /** Guards that decide whether a caller may run the query. */
  readonly guards: readonly Guard[];
  /** Whether equal concurrent calls of one caller share a run of the handler. */
  readonly coalesce: boolean;
  /** Names of the projections that the handler reads; `null` for all of the process. */
  readonly projections: readonly string[] | null;
  /** Caching of the endpoint's replies; `null` for none. */
  readonly cache: QueryCache | null;
  /** Its HTTP endpoint; `null` for none. */
  readonly http: QueryEndpoint | null;
  /** Messages about unknown options, reported at start. */
  readonly unknown: readonly string[];
}

/** The definition of a query: its name, input and result. */
export interface Query<Input extends StandardSchema, Output extends StandardSchema> extends AnyQuery {
  /** Schema of the input. */
  readonly input: Input;
  /** Schema of the result. */
  readonly output: Output;
}

const names: Readonly<Record<keyof QueryOptions<StandardSchema, StandardSchema>, true>> = {
  input: true,
  output: true,
  timeoutMs: true,
  guards: true,
  coalesce: true,
  projections: true,
  cache: true,
  http: true,
};

const cacheNames: Readonly<Record<keyof QueryCache, true>> = {
  invalidatedBy: true,
  ttl: true,
  staleSecs: true,
  shared: true,
  tags: true,
};

/** The result of a query as callers get it. */
export type QueryResult<Q extends AnyQuery> = InferOutput<Q["output"]>;

/**
 * Defines a query: exactly one handler answers it, without making changes. Registers nothing; errors in the definition are reported at the app's start.
 *
 * @param name unique among the queries and commands of an app: at most 100 letters, digits, `.`, `_` and `-`, starting with a letter
 * @example
 * const GetOrder = query("GetOrder", {
 *   input: z.object({ orderId: z.string() }),
 *   output: z.object({ status: z.string() }),
 *   http: { path: "/orders/{orderId}" },
 * });
 */
export const query = <Input extends StandardSchema, Output extends StandardSchema>(
  name: string,
  options: QueryOptions<Input, Output>,
): Query<Input, Output> => {
  const { input, output, timeoutMs, guards = [], coalesce = true, projections, cache, http } = options;
  return Object.freeze({
    kind: "query" as const,
    name,
    input,
    output,
    timeoutMs: timeoutMs ?? null,
    guards,
    coalesce,
    projections: projections ?? null,
    cache: cache ?? null,
    http: http ?? null,
    unknown: unknownOptions(options, { options: names, http: queryEndpointNames, cache: cacheNames }),
  });
};
