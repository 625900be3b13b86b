import type { Handler } from "@framework/core";
import type { HostState } from "@framework/core/feature";
import type { EventStore } from "@framework/event-sourcing";
import { type CommandEvents, commandEvents } from "../events/command-events.ts";
import { noEventStore } from "../events/no-event-store.ts";
import type { CommandContext } from "../handlers/handler-types.ts";
import { orAborted } from "../time/or-aborted.ts";
import type { Outcome } from "../pipeline/outcome.ts";
import type { CommandAttempt } from "./command-run.ts";

/** Parts of `callHandler`. */
export interface CallHandlerParts {
  readonly state: Pick<HostState, "invoke">;
  /** Returns the event store of the app; `null` without one. */
  readonly eventStore: () => EventStore | null;
}

/** Calls the handler with its dependencies. Ends when the signal aborts, whatever the handler does; its later result is ignored. */
export const callHandler =
  ({ state, eventStore }: CallHandlerParts): Handler<CommandAttempt, Outcome> =>
  async (attempt) => {
    const { input, signal, call } = attempt.run;
    const { handled, invocation } = call;
    const context = contextOf(attempt, eventStore);
    const work = state.invoke(invocation, handled.inject, (dependencies) =>
      handled.handler(input, context as never, dependencies),
    );
    const value = await orAborted(work, signal);
    const { position, types } = attempt.log;
    return { ok: true, value, position, types, isReplay: false };
  };

const contextOf = ({ run, tx, log }: CommandAttempt, eventStore: () => EventStore | null): CommandContext => {
  const { id, invocation, tenant, idempotencyKey } = run.call;
  let events: CommandEvents | null = null;
  const open = (): CommandEvents => {
    const store = eventStore();
    if (store === null) throw noEventStore();
    return commandEvents(store, { tx, tenant, causationId: id, log });
  };
  return {
    id,
    tx,
    get events() {
      return (events ??= open());
    },
    signal: run.signal,
    invocation,
    tenant,
    idempotencyKey,
    attempt: run.attempts,
  };
};
