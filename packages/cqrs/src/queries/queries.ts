import type { Handler } from "@framework/core";
import type { InputOf } from "../definitions/command.ts";
import type { AnyQuery, QueryResult } from "../definitions/query.ts";
import { QueryTimeoutError } from "../failures/command-errors.ts";
import { MAX_RUNNING } from "../limits.ts";
import { type CallOptions, type CallRequest, type CallSources, newCall } from "../pipeline/call-options.ts";
import { Gate } from "../pipeline/gate.ts";
import type { Outcome } from "../pipeline/outcome.ts";
import { QueryRun } from "./query-run.ts";

/** Options of one call of a query. */
export interface QueryCallOptions extends CallOptions {
  /** Token of a command: the answer contains its events. @default none */
  readonly after?: string | null;
}

/** What queries need. */
export interface QueriesParts extends CallSources {
  readonly pipeline: Handler<QueryRun, Outcome>;
}

/** Answers queries. */
export class Queries {
  private readonly parts: QueriesParts;
  private readonly gate = new Gate("queries", MAX_RUNNING);

  constructor(parts: QueriesParts) {
    this.parts = parts;
  }

  async ask<Q extends AnyQuery>(
    query: Q,
    input: InputOf<Q>,
    request: QueryCallOptions & CallRequest,
  ): Promise<QueryResult<Q>> {
    const call = newCall<AnyQuery>(this.parts, query, input, request, timedOut);
    const run = new QueryRun({ ...call, after: request.after ?? null });
    const outcome = await this.gate.run(async () => this.parts.pipeline(run));
    if (!outcome.ok) throw outcome.error;
    return outcome.value as QueryResult<Q>; // the output of the query's schema
  }
}

const timedOut = (timeoutMs: number): Error => new QueryTimeoutError(timeoutMs);
