import type { Handler } from "@framework/core";
import type { InputOf } from "../definitions/command.ts";
import type { AnyQuery, QueryResult } from "../definitions/query.ts";
import { QueryTimeoutError } from "../failures/command-errors.ts";
import type { CallOptions, CallRequest, CallSources } from "../pipeline/call-options.ts";
import { Calls } from "../pipeline/calls.ts";
import type { Outcome } from "../pipeline/outcome.ts";
import { QueryRun } from "./query-run.ts";

/** Options of one call of a query. */
export interface QueryCallOptions extends CallOptions {
  /** Token of a command whose events the result must contain. @default none */
  readonly after?: string | null;
}

/** Dependencies of `Queries`. */
export interface QueriesParts extends CallSources {
  readonly pipeline: Handler<QueryRun, Outcome>;
}

/** Runs queries. */
export class Queries {
  private readonly pipeline: Handler<QueryRun, Outcome>;
  private readonly calls: Calls<AnyQuery>;

  constructor(parts: QueriesParts) {
    this.pipeline = parts.pipeline;
    this.calls = new Calls(parts, { plural: "queries", timeoutError });
  }

  async run<Q extends AnyQuery>(
    query: Q,
    input: InputOf<Q>,
    request: QueryCallOptions & CallRequest,
  ): Promise<QueryResult<Q>> {
    const { after = null } = request;
    const run = new QueryRun({ ...this.calls.of(query, input, request), after });
    const { value } = await this.calls.run(this.pipeline, run);
    return value as QueryResult<Q>; // the output of the query's schema
  }
}

const timeoutError = (timeoutMs: number): Error => new QueryTimeoutError(timeoutMs);
