import type { Logger, Middleware } from "@framework/core";
import type { EventStore } from "@framework/event-sourcing";
import { MAX_WAIT_MS } from "../limits.ts";
import type { Outcome } from "../pipeline/outcome.ts";
import { orAborted } from "../time/or-aborted.ts";
import type { CommandRun } from "./command-run.ts";

/** Dependencies of `publish`. */
export interface PublishParts {
  readonly eventStore: () => EventStore | null;
  /** Drops cached replies that events of these types invalidate; never rejects. */
  readonly dropCached: (types: ReadonlySet<string>) => Promise<void>;
  readonly log: () => Logger;
}

/**
 * After the commit, drops cached replies of queries that the events invalidate, and with `sync: "wait"` waits until projections contain the events. Both end at
 * the command's time limit, which no longer fails the command. With `sync: "none"` it does neither.
 */
export const publish = ({ eventStore, dropCached, log }: PublishParts): Middleware<CommandRun, Outcome> =>
  async function publish(run, next) {
    const outcome = await next(run);
    if (!outcome.ok || run.call.sync === "none" || outcome.position === null) return outcome;
    const { position, types } = outcome;
    const { deadline, sync } = run.call;
    const { signal } = deadline;
    const waitForViews = async (): Promise<unknown> =>
      sync === "wait"
        ? await eventStore()?.waitFor(position, {
            timeoutMs: Math.min(deadline.remainingMs, MAX_WAIT_MS),
            signal,
          })
        : undefined;
    try {
      await orAborted(Promise.all([dropCached(types), waitForViews()]), signal);
    } catch (error) {
      if (!signal.aborted) log().warn("cqrs: could not wait for the views of a command", { error });
    }
    return outcome;
  };
