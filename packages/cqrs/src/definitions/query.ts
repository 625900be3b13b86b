import type { Guard, InferOutput, StandardSchema } from "@framework/core";
import type { AnyEventType } from "@framework/event-sourcing";
import type { QueryEndpoint } from "./endpoint.ts";
import { unknownOptions } from "./unknown-options.ts";

/** Caching of a query's replies; the rules are those of the route option `cache`. */
export interface QueryCache {
  /** Types of events that change answers: their appearance drops the cached replies. @default none */
  readonly invalidatedBy: readonly AnyEventType[];
  /** Seconds for which a reply is fresh. @default that of the cache */
  readonly ttl?: number;
  /** Seconds for which a stale reply may be served while it is refreshed. @default that of the cache */
  readonly staleSecs?: number;
  /** Lets clients with an identity share replies; only for answers that are the same for all. @default false */
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
  /** Guards, which admit callers. @default none */
  readonly guards?: readonly Guard[];
  /**
   * Whether calls of one caller, with equal claims and credentials, and equal input share one run of the handler while it runs. Set `false` where the result
   * depends on anything but the input, the caller and the database, such as the header `Accept-Language`. @default true
   */
  readonly coalesce?: boolean;
  /** Names of the projections that the handler reads: `after` waits for these. @default all of the process */
  readonly projections?: readonly string[];
  /** How replies of the endpoint are cached, with `@framework/cache`. @default not at all */
  readonly cache?: QueryCache;
  /** An HTTP endpoint for `GET`. @default none */
  readonly http?: QueryEndpoint;
}

/** A query of any types, as the pipeline sees it. */
export interface AnyQuery {
  /** Tells queries from commands. */
  readonly kind: "query";
  /** Name of the query. */
  readonly name: string;
  /** Schema of the input. */
  readonly input: StandardSchema;
  /** Schema of the result. */
  readonly output: StandardSchema;
  /** Time limit in milliseconds; `null` for that of `CqrsConfig`. */
  readonly timeoutMs: number | null;
  /** Guards, which admit callers. */
  readonly guards: readonly Guard[];
  /** Whether equal calls of one caller share a run of the handler. */
  readonly coalesce: boolean;
  /** Names of the projections that the handler reads; `null` for all of the process. */
  readonly projections: readonly string[] | null;
  /** How replies of the endpoint are cached; `null` for not at all. */
  readonly cache: QueryCache | null;
  /** Its HTTP endpoint; `null` for none. */
  readonly http: QueryEndpoint | null;
  /** Options that do not exist, as messages for the start. */
  readonly unknown: readonly string[];
}

/** A query: a value that names a question, its input and its result. */
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

/** The result of a query as callers get it. */
export type QueryResult<Q extends AnyQuery> = InferOutput<Q["output"]>;

/**
 * Defines a query: a question that exactly one handler answers, without changing anything. The value registers nothing.
 *
 * @param name unique in an app, among commands too: letters, digits, `.`, `_` and `-`, 100 at most
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
    unknown: unknownOptions(options, names),
  });
};
