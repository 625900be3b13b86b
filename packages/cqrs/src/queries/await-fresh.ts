import type { Middleware } from "@framework/core";
import type { EventStore } from "@framework/event-sourcing";
import { notFresh } from "../failures/command-errors.ts";
import { MAX_WAIT_MS } from "../limits.ts";
import type { Outcome } from "../pipeline/outcome.ts";
import type { QueryRun } from "./query-run.ts";

/** Waits until the projections of a query contain the events up to its consistency token. @throws HttpError 503 (CQRS_NOT_FRESH) at the time limit */
export const awaitFresh = (eventStore: () => EventStore | null): Middleware<QueryRun, Outcome> =>
  async function awaitFresh(run, next) {
    const { after, deadline } = run.call;
    const store = after === null ? null : eventStore();
    if (after === null || store === null) return next(run);
    const { signal } = deadline;
    const projections = run.operation.projections ?? undefined;
    try {
      const timeoutMs = Math.min(deadline.remainingMs, MAX_WAIT_MS);
      if (!(await store.waitFor(after, { projections, timeoutMs, signal }))) throw notFresh();
    } catch (error) {
      throw deadline.hasPassed ? notFresh() : error;
    }
    return next(run);
  };
