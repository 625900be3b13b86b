import type { Transaction } from "@framework/database";
import type { AppendResult } from "../append/appended.ts";
import type { Appender, WriteOptions } from "../append/appender.ts";
import { ConflictError } from "../append/conflict-error.ts";
import type { StoreBase } from "../base/store-base.ts";
import { eventError } from "../errors/event-error.ts";
import type { AnyEventType, EventOf } from "../events/event-type.ts";
import type { StoredEvent } from "../events/stored-event.ts";
import type { FoldedState } from "../snapshots/fold.ts";
import type { Snapshots, StreamRef } from "../snapshots/snapshots.ts";
import { toEventArray, type Decider } from "./decider.ts";
import { foldTail } from "./load.ts";

/** Options of a command on an aggregate. */
export interface ExecuteOptions extends WriteOptions {
  /** Maximum number of retries after conflicts with other appends, each with the new state; 0 to 100. @default 3 */
  readonly retries?: number;
}

/** The result of a command. */
export interface ExecuteResult<State, Types extends AnyEventType> {
  /** The state after the command. */
  readonly state: State;
  /** Version of the stream after the command. */
  readonly version: number;
  /** Position of the last appended event; `null` if the command led to no event. */
  readonly position: string | null;
  /** The appended events; empty if they had been appended before. */
  readonly events: readonly EventOf<Types>[];
}

/** The state of an aggregate at a version. */
export interface AggregateState<State> {
  /** The state after all events. */
  readonly state: State;
  /** Version of its stream; 0 when it does not exist. */
  readonly version: number;
}

/** Dependencies of `Aggregate`. */
export interface AggregateParts {
  readonly base: StoreBase;
  readonly appender: Appender;
  readonly snapshots: Snapshots;
}

const DEFAULT_RETRIES = 3;
const MAX_RETRIES = 100;

/** One stream and the decider for its commands. */
export class Aggregate<State, Command, Types extends AnyEventType> {
  /** Name of the stream. */
  readonly stream: string;
  /** Tenant of the stream; empty without tenants. */
  readonly tenant: string;
  private readonly parts: AggregateParts;
  private readonly decider: Decider<State, Command, Types>;

  constructor(parts: AggregateParts, decider: Decider<State, Command, Types>, { stream, tenant }: StreamRef) {
    this.parts = parts;
    this.decider = decider;
    this.stream = stream;
    this.tenant = tenant;
  }

  /** Loads the state from the latest snapshot and the events after it. @param options.tx reads in this transaction, including its own appends */
  async load({ tx }: { readonly tx?: Transaction | undefined } = {}): Promise<AggregateState<State>> {
    const { snapshots } = this.parts;
    const folded = await this.read(tx);
    if (tx === undefined) snapshots.prepare(this.decider.fold, this, folded)?.(); // not in a transaction, which may still roll back
    return { state: folded.state, version: folded.version };
  }

  /**
   * Decides on a command and appends the events. After a conflict with another append, decides again with the new state.
   *
   * @throws EVENTS_EVOLVE_FAILED if `evolve` throws for the new events: they are stored, so do not repeat the command; errors of `decide`, and of `evolve` for
   * earlier events; ConflictError after `retries` retries; errors of `append`
   */
  async execute(command: Command, given?: ExecuteOptions): Promise<ExecuteResult<State, Types>> {
    const { retries = DEFAULT_RETRIES, ...options }: ExecuteOptions = { ...given }; // a copy, because untyped programs may pass null
    const { base } = this.parts;
    let before = await this.read(options.tx);
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.decide(command, before, options);
      } catch (error) {
        const isLast = !(attempt < Math.min(retries, MAX_RETRIES)); // also if `retries` is not a number
        if (!(error instanceof ConflictError) || isLast) throw error;
      }
      before = await foldTail(base, options.tx ?? base.db, this.decider.fold, this, before);
    }
  }

  private async read(tx: Transaction | undefined): Promise<FoldedState<State>> {
    const { base, snapshots } = this.parts;
    const queries = tx ?? base.db;
    const { fold } = this.decider;
    return await foldTail(base, queries, fold, this, await snapshots.load(queries, fold, this));
  }

  private async decide(
    command: Command,
    before: FoldedState<State>,
    options: WriteOptions,
  ): Promise<ExecuteResult<State, Types>> {
    const { stream, tenant, decider } = this;
    const events = toEventArray(decider.decide(command, before.state));
    if (events.length === 0)
      return { state: before.state, version: before.version, position: null, events: [] };
    const append = { stream, tenant, events, expected: before.version };
    const result = await this.parts.appender.appendDecided(append, options);
    return await this.afterAppend(before, result, options.tx);
  }

  private async afterAppend(
    before: FoldedState<State>,
    { appended, events, keys }: Awaited<ReturnType<Appender["appendDecided"]>>,
    tx: Transaction | undefined,
  ): Promise<ExecuteResult<State, Types>> {
    const { fold } = this.decider;
    if (!appended.isNew) return await this.repeatResult(appended, tx);
    const { version, position } = appended;
    const folded: FoldedState<State> = {
      state: this.evolveAppended(before.state, events, tx),
      version,
      lastEvent: events.at(-1)?.id ?? before.lastEvent,
      keys: new Set([...before.keys, ...keys]),
      snapshotVersion: before.snapshotVersion,
    };
    const offer = this.parts.snapshots.prepare(fold, this, folded);
    if (offer !== null && tx !== undefined) tx.onCommit(offer);
    else offer?.();
    return {
      state: folded.state,
      version,
      position,
      events: events as readonly unknown[] as readonly EventOf<Types>[],
    };
  }

  /** @throws EVENTS_EVOLVE_FAILED, because an error of `evolve` alone would look as if the command had been rejected */
  private evolveAppended(state: State, events: readonly StoredEvent[], tx: Transaction | undefined): State {
    try {
      return events.reduce(this.decider.fold.evolve, state);
    } catch (error) {
      const outcome = tx === undefined ? "are stored" : "will be stored if the transaction is committed";
      throw eventError(
        "EVENTS_EVOLVE_FAILED",
        `\`evolve\` of decider ${this.decider.name} threw for the new events of stream ${this.stream}; they ${outcome}`,
        error,
      );
    }
  }

  /** Returns the result of a command whose event ids had been appended before. */
  private async repeatResult(
    { position }: AppendResult,
    tx: Transaction | undefined,
  ): Promise<ExecuteResult<State, Types>> {
    const { state, version } = await this.read(tx);
    return { state, version, position, events: [] };
  }
}
