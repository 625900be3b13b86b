import { type Invocation, type Logger, verifyGuards } from "@framework/core";
import { type Clock, createInvocation, type HostState } from "@framework/core/feature";
import type { Kernel } from "@framework/durable/feature";
import type { InputOf } from "../definitions/command.ts";
import type { AnyQuery, QueryResult } from "../definitions/query.ts";
import { type PlaceOf, validInput, validOutput } from "../definitions/valid-input.ts";
import { QueryTimeoutError, tooBusy } from "../failures/command-errors.ts";
import { failureKind } from "../failures/failure-kind.ts";
import type { HandlerRegistry } from "../handlers/handler-registry.ts";
import type { Handled, QueryContext } from "../handlers/handler-types.ts";
import { canonicalJson } from "../idempotency/canonical-json.ts";
import { type CallEnd, type CallInsight, recordEnd, traced } from "../insight/observe-calls.ts";
import { MAX_RUNNING } from "../limits.ts";
import { Deadline } from "../time/deadline.ts";
import { orAborted } from "../time/or-aborted.ts";
import type { SharedRuns } from "./shared-runs.ts";

/** Options of one call of a query. */
export interface QueryCallOptions {
  /** Work on whose behalf it is, such as a request: its principal and headers are those that guards and the handler see. @default none */
  readonly from?: Invocation;
  /** Whether the guards of the query are skipped, for calls of the program on its own behalf. @default false */
  readonly skipGuards?: boolean;
  /** Tenant of the call. @default `CqrsConfig.tenantOf` */
  readonly tenant?: string;
  /** Rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** A call of a query, from code or over HTTP. */
export interface QueryRequest extends QueryCallOptions {
  readonly placeOf?: PlaceOf;
}

/** What queries need. */
export interface QueriesParts {
  readonly kernel: Kernel;
  readonly registry: HandlerRegistry;
  readonly state: Pick<HostState, "invoke">;
  readonly insight: CallInsight;
  readonly runs: SharedRuns;
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly callerOf: (invocation: Invocation) => string;
  readonly tenantOf: (invocation: Invocation) => string;
  readonly log: () => Logger;
}

/** One call on its way. */
interface QueryRun {
  readonly handled: Handled<AnyQuery>;
  readonly raw: unknown;
  readonly input: unknown;
  readonly invocation: Invocation;
  readonly tenant: string;
  readonly deadline: Deadline;
}

/** Answers queries: trace, record, guards, validation, time limit, shared run, handler, validation of the result. */
export class QueryCalls {
  private readonly parts: QueriesParts;
  private running = 0;

  constructor(parts: QueriesParts) {
    this.parts = parts;
  }

  async ask<Q extends AnyQuery>(query: Q, input: InputOf<Q>, request: QueryRequest): Promise<QueryResult<Q>> {
    const { registry, insight } = this.parts;
    const handled = registry.of<AnyQuery>(query);
    if (this.running >= MAX_RUNNING) throw tooBusy(`${this.running} queries run`);
    this.running++;
    let value: unknown;
    const work = async (): Promise<CallEnd> => {
      const end = await settled(async () => {
        value = await this.answer(handled, input, request);
      });
      recordEnd(insight, query, end, 1);
      return end;
    };
    try {
      const end = await traced(insight, query, work);
      if (!end.ok) throw end.error;
      return value as QueryResult<Q>; // the output of the query's schema
    } finally {
      this.running--;
    }
  }

  private async answer(handled: Handled<AnyQuery>, raw: unknown, request: QueryRequest): Promise<unknown> {
    const { clock, tenantOf, log } = this.parts;
    const query = handled.operation;
    const timeoutMs = query.timeoutMs ?? this.parts.timeoutMs;
    const deadline = new Deadline(clock, timeoutMs, () => new QueryTimeoutError(timeoutMs), request.signal);
    const invocation = invocationOf(query, request.from, deadline.signal);
    if (request.skipGuards !== true) await verifyGuards(query.guards, invocation, { log: log() });
    const input = await validInput(query.input, raw, request.placeOf ?? inInput);
    const tenant = request.tenant ?? tenantOf(invocation);
    deadline.begin();
    try {
      return await this.run({ handled, raw, input, invocation, tenant, deadline });
    } finally {
      deadline.end();
    }
  }

  private run(run: QueryRun): Promise<unknown> {
    const { handled, raw, invocation, tenant, deadline } = run;
    const { signal, timeoutMs } = deadline;
    const { name, coalesce } = handled.operation;
    if (!coalesce) return this.callHandler(run, invocation, signal);
    const key = JSON.stringify([name, tenant, this.parts.callerOf(invocation), canonicalJson(raw)]);
    return this.parts.runs.run(key, { signal, maxAgeMs: timeoutMs }, (shared) =>
      this.callHandler(run, invocationOf(handled.operation, invocation, shared), shared),
    );
  }

  private async callHandler(run: QueryRun, invocation: Invocation, signal: AbortSignal): Promise<unknown> {
    const { handled, input, tenant } = run;
    const { kernel, state } = this.parts;
    const context: QueryContext = { db: kernel.db.until(signal), signal, invocation, tenant };
    const work = state.invoke(invocation, handled.inject, (dependencies) =>
      handled.handler(input, context as never, dependencies),
    );
    const returned = await orAborted(work, signal);
    const { output, name } = handled.operation;
    return await validOutput(output, returned, `query ${name}`);
  }
}

const invocationOf = (query: AnyQuery, from: Invocation | undefined, signal: AbortSignal): Invocation =>
  createInvocation({
    kind: "query",
    name: query.name,
    signal,
    ...(from !== undefined && { headers: from.headers, context: from.context, params: from.params }),
  });

const settled = async (work: () => Promise<void>): Promise<CallEnd> => {
  try {
    await work();
    return { ok: true, isReplay: false };
  } catch (thrown) {
    const error = Error.isError(thrown)
      ? thrown
      : new Error("a value that is not an Error was thrown", { cause: thrown });
    return { ok: false, kind: failureKind(thrown), error };
  }
};

const inInput: PlaceOf = () => "input";
