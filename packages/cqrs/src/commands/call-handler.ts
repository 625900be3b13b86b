import type { Handler, Invocation } from "@framework/core";
import type { HostState } from "@framework/core/feature";
import type { Transaction } from "@framework/database";
import type { EventStore } from "@framework/event-sourcing";
import type { AppendLog } from "../events/append-log.ts";
import { type CommandEvents, commandEvents } from "../events/command-events.ts";
import { noEventStore } from "../events/no-event-store.ts";
import type { CommandContext } from "../handlers/handler-types.ts";
import { orAborted } from "../time/or-aborted.ts";
import type { Outcome } from "../pipeline/outcome.ts";
import type { CommandAttempt } from "./command-run.ts";

/** Dependencies of `callHandler`. */
export interface CallHandlerParts {
  readonly state: Pick<HostState, "invoke">;
  /** Returns the event store of the app; `null` if there is none. */
  readonly eventStore: () => EventStore | null;
}

/** Calls the handler with its dependencies. Rejects when the signal aborts, even if the handler continues; its later result is ignored. */
export const callHandler =
  ({ state, eventStore }: CallHandlerParts): Handler<CommandAttempt, Outcome> =>
  async (attempt) => {
    const { input, signal, call } = attempt.run;
    const { handled, invocation } = call;
    const context = new AttemptContext(attempt, eventStore);
    const work = state.invoke(invocation, handled.inject, (dependencies) =>
      handled.handler(input, context as never, dependencies),
    );
    const value = await orAborted(work, signal);
    const { position, types } = attempt.log;
    return { ok: true, value, position, types, isReplay: false };
  };

/** The context of one attempt. A class, because creating an object literal with an accessor takes longer than creating all other objects of a call. */
class AttemptContext implements CommandContext {
  readonly id: string;
  readonly tx: Transaction;
  readonly signal: AbortSignal;
  readonly invocation: Invocation;
  readonly tenant: string;
  readonly idempotencyKey: string | null;
  readonly attempt: number;
  private readonly log: AppendLog;
  private readonly eventStore: () => EventStore | null;
  private opened: CommandEvents | null = null;

  constructor({ run, tx, log }: CommandAttempt, eventStore: () => EventStore | null) {
    const { id, invocation, tenant, idempotencyKey } = run.call;
    this.id = id;
    this.tx = tx;
    this.signal = run.signal;
    this.invocation = invocation;
    this.tenant = tenant;
    this.idempotencyKey = idempotencyKey;
    this.attempt = run.attempts;
    this.log = log;
    this.eventStore = eventStore;
  }

  get events(): CommandEvents {
    if (this.opened !== null) return this.opened;
    const store = this.eventStore();
    if (store === null) throw noEventStore();
    const { tx, tenant, id: causationId, log } = this;
    return (this.opened = commandEvents(store, { tx, tenant, causationId, log }));
  }
}
