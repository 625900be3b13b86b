import { givenFields } from "@framework/core/feature";
import type { Transaction } from "@framework/database";
import type {
  Aggregate,
  AggregateState,
  AnyEventType,
  AppendResult,
  AppendOptions,
  Decider,
  EventMetadata,
  EventStore,
  ExecuteResult,
  NewEvent,
  ReadOptions,
  StoredEvent,
  StreamAppend,
} from "@framework/event-sourcing";
import type { AppendLog } from "./append-log.ts";

/** The event store in the transaction of a command, for the tenant of its call. */
export interface CommandEvents {
  /** Appends events to a stream; they are committed with the command. @throws ConflictError, after which the command is retried */
  append(
    stream: string,
    events: NewEvent | readonly NewEvent[],
    options?: Pick<AppendOptions, "expected" | "metadata">,
  ): Promise<AppendResult>;
  /** Appends to several streams atomically. @throws ConflictError, after which the command is retried */
  appendMany(appends: readonly Omit<StreamAppend, "tenant">[]): Promise<readonly AppendResult[]>;
  /** Yields the events of a stream, including events that the command appended. */
  read(stream: string, options?: Omit<ReadOptions, "tx" | "tenant">): AsyncIterableIterator<StoredEvent>;
  /** Returns the aggregate of a decider. */
  aggregate<State, Command, Types extends AnyEventType>(
    decider: Decider<State, Command, Types>,
    id: string,
  ): CommandAggregate<State, Command, Types>;
}

/** An aggregate in the transaction of a command. */
export interface CommandAggregate<State, Command, Types extends AnyEventType> {
  /** Name of the stream. */
  readonly stream: string;
  /** Loads the state, including the events that the command appended. */
  load(): Promise<AggregateState<State>>;
  /** Decides and appends the events. @throws errors of `decide`; ConflictError, after which the command is retried */
  execute(command: Command): Promise<ExecuteResult<State, Types>>;
}

/** Transaction, tenant and causation of the events of a command. */
export interface CommandEventsScope {
  readonly tx: Transaction;
  readonly tenant: string;
  /** Id of the command, which caused the events. */
  readonly causationId: string;
  readonly log: AppendLog;
}

/** Returns the event store for one attempt of a command. */
export const commandEvents = (store: EventStore, scope: CommandEventsScope): CommandEvents => {
  const { tx, tenant, causationId, log } = scope;
  const metadataOf = (own?: EventMetadata): EventMetadata => ({
    causationId,
    ...givenFields({ ...own }), // a copy, because untyped programs may pass null
  });
  return {
    async append(stream, events, { expected, metadata } = {}) {
      const appended = await store.append(stream, events, {
        tx,
        tenant,
        metadata: metadataOf(metadata),
        ...(expected !== undefined && { expected }),
      });
      log.add(appended.position, typesOf(events));
      return appended;
    },
    async appendMany(appends) {
      const mine = appends.map((each) => ({ ...each, tenant }));
      const all = await store.appendMany(mine, { tx, metadata: metadataOf() });
      all.forEach(({ position }, index) => log.add(position, typesOf(appends[index]?.events ?? [])));
      return all;
    },
    read: (stream, options = {}) => store.read(stream, { ...options, tx, tenant }),
    aggregate: (decider, id) => boundAggregate(store.aggregate(decider, id, { tenant }), scope),
  };
};

const boundAggregate = <State, Command, Types extends AnyEventType>(
  aggregate: Aggregate<State, Command, Types>,
  { tx, causationId, log }: CommandEventsScope,
): CommandAggregate<State, Command, Types> => ({
  stream: aggregate.stream,
  load: () => aggregate.load({ tx }),
  async execute(command) {
    // The whole command is retried after a conflict, so the aggregate need not.
    const executed = await aggregate.execute(command, { tx, metadata: { causationId }, retries: 0 });
    log.add(
      executed.position,
      executed.events.map(({ type }) => type),
    );
    return executed;
  },
});

const typesOf = (events: NewEvent | readonly NewEvent[]): readonly string[] =>
  ("type" in events ? [events] : events).map(({ type }) => type);
