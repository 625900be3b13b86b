import type { Guard, InferOutput, StandardSchema } from "@framework/core";
import type { QueryEndpoint } from "./endpoint.ts";

/** Options of a query. */
export interface QueryOptions<Input extends StandardSchema, Output extends StandardSchema> {
  /** Schema of the input. */
  readonly input: Input;
  /** Schema of the result. */
  readonly output: Output;
  /** Time limit in milliseconds, 1 to 3,600,000. @default `CqrsConfig.queryTimeoutMs` */
  readonly timeoutMs?: number;
  /** Who may ask. @default everyone */
  readonly guards?: readonly Guard[];
  /**
   * Whether calls of one caller with equal input share one run of the handler while it runs. Set `false` where the result depends on anything but the input,
   * the caller and the database. @default true
   */
  readonly coalesce?: boolean;
  /** An HTTP endpoint for `GET`. @default none */
  readonly http?: QueryEndpoint;
}

/** What the pipeline knows of a query, whatever its types. */
export interface AnyQuery {
  readonly kind: "query";
  readonly name: string;
  readonly input: StandardSchema;
  readonly output: StandardSchema;
  readonly timeoutMs: number | null;
  readonly guards: readonly Guard[];
  readonly coalesce: boolean;
  readonly http: QueryEndpoint | null;
}

/** A query: a value that names a question, its input and its result. */
export interface Query<Input extends StandardSchema, Output extends StandardSchema> extends AnyQuery {
  readonly input: Input;
  readonly output: Output;
}

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
  const { input, output, timeoutMs, guards = [], coalesce = true, http } = options;
  return Object.freeze({
    kind: "query" as const,
    name,
    input,
    output,
    timeoutMs: timeoutMs ?? null,
    guards,
    coalesce,
    http: http ?? null,
  });
};
