import { FrameworkError, type Handler, type Invocation, type Logger, type Middleware } from "@framework/core";
import { compose, type HostState } from "@framework/core/feature";
import type { EventStore } from "@framework/event-sourcing";
import type { Kernel } from "@framework/durable/feature";
import { visibleCaller } from "../caller/visible-caller.ts";
import { validOutput } from "../definitions/valid-input.ts";
import type { QueryContext } from "../handlers/handler-types.ts";
import { canonicalJson } from "../idempotency/canonical-json.ts";
import { invocationOf } from "../pipeline/call-options.ts";
import { checkGuards } from "../pipeline/check-guards.ts";
import { type CallInsight, record, trace } from "../pipeline/observe.ts";
import { noTypes, type Outcome } from "../pipeline/outcome.ts";
import { rescue } from "../pipeline/rescue.ts";
import { validateInput } from "../pipeline/validate-input.ts";
import { orAborted } from "../time/or-aborted.ts";
import { awaitFresh } from "./await-fresh.ts";
import type { QueryRun } from "./query-run.ts";
import type { SharedRuns } from "./shared-runs.ts";

/** Dependencies of `queryPipeline`. */
export interface QueryPipelineParts {
  readonly kernel: Kernel;
  readonly state: Pick<HostState, "invoke">;
  readonly insight: CallInsight;
  readonly runs: SharedRuns;
  /** `callerOf` of `CqrsConfig`; without one, callers are distinguished only by `visibleCaller`. */
  readonly callerOf: (invocation: Invocation) => string;
  /** Returns the event store of the app; `null` if there is none, or event sync is disabled. */
  readonly eventStore: () => EventStore | null;
  readonly log: () => Logger;
}

/** One run of the handler, for one or several calls. */
interface SharedCall {
  readonly run: QueryRun;
  readonly signal: AbortSignal;
}

/** Creates the pipeline of a query, outermost middleware first. Errors of each middleware become failed outcomes. */
export const queryPipeline = (parts: QueryPipelineParts): Handler<QueryRun, Outcome> => {
  const { insight, log } = parts;
  return compose<QueryRun, Outcome>(
    [
      trace(insight),
      record(insight),
      checkGuards(log),
      validateInput(),
      limitTime,
      awaitFresh(parts.eventStore),
    ],
    inSharedRun(parts, callHandler(parts)),
    rescue,
  );
};

const limitTime: Middleware<QueryRun, Outcome> = async function limitTime(run, next) {
  const { deadline } = run.call;
  deadline.begin();
  try {
    return await next(run);
  } finally {
    deadline.end();
  }
};

/** Coalesces concurrent calls of one caller with equal input into one run of the handler. */
const inSharedRun =
  ({ runs, callerOf }: QueryPipelineParts, call: Handler<SharedCall, unknown>): Handler<QueryRun, Outcome> =>
  async (run) => {
    const { operation, signal } = run;
    const { deadline } = run.call;
    deadline.check(); // the caller may have aborted, or the wait for projections used up the time
    run.attempts++;
    const startRun = (sharedSignal: AbortSignal): Promise<unknown> =>
      Promise.resolve(call({ run, signal: sharedSignal }));
    const key = operation.coalesce ? keyOf(run, callerOf) : null;
    const value = await (key === null
      ? startRun(signal)
      : runs.run(key, { signal, maxAgeMs: deadline.timeoutMs }, startRun));
    return { ok: true, value, position: null, types: noTypes, isReplay: false };
  };

/**
 * Returns the key by which calls share a run; `null` for a call with a separate run. It contains the token `after`, because a run with another token may have
 * started before the views contained the events of this call's token.
 */
const keyOf = ({ operation, call }: QueryRun, callerOf: QueryPipelineParts["callerOf"]): string | null => {
  const { invocation, tenant, raw, after } = call;
  const caller = visibleCaller(invocation);
  const text = caller === null ? null : textOf(operation.name, raw);
  return text === null
    ? null
    : JSON.stringify([operation.name, tenant, callerOf(invocation), caller, after, text]);
};

/** Returns a string that is equal for equal inputs; `null` for an input that JSON cannot represent, which cannot be compared. */
const textOf = (query: string, raw: unknown): string | null => {
  try {
    return canonicalJson(raw, `the input of query ${query}`);
  } catch (error) {
    if (FrameworkError.is(error) && error.code === "CQRS_BAD_INPUT") return null;
    throw error;
  }
};

const callHandler =
  ({ kernel, state }: QueryPipelineParts): Handler<SharedCall, unknown> =>
  async ({ run, signal }) => {
    const { operation, input } = run;
    const { handled, tenant } = run.call;
    const invocation = invocationOf(operation, run.call.invocation, signal);
    const context: QueryContext = { db: kernel.db.until(signal), signal, invocation, tenant };
    const work = state.invoke(invocation, handled.inject, (dependencies) =>
      handled.handler(input, context as never, dependencies),
    );
    return await validOutput(operation.output, await orAborted(work, signal), `query ${operation.name}`);
  };
