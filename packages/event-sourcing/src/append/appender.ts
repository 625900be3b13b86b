import { isPromise } from "@framework/core/feature";
import type { Queries, Transaction } from "@framework/database";
import type { InlineViews, StoreBase } from "../base/store-base.ts";
import { mistake } from "../errors/event-error.ts";
import type { EventMetadata } from "../events/event-metadata.ts";
import type { StoredEvent } from "../events/stored-event.ts";
import { MAX_STREAMS } from "../limits.ts";
import { checkMetadata } from "./check-event.ts";
import { type Appended, type AppendedEvents, storedEvents } from "./appended.ts";
import { appendOnPostgres } from "./postgres-append.ts";
import { PostgresStatements } from "./postgres-statements.ts";
import { checkTotal, prepareAppend, type PreparedAppend, type StreamAppend } from "./prepare-append.ts";
import { appendOnSqlite } from "./sqlite-append.ts";
import { viewEvents } from "./view-events.ts";

/** Options of every append. */
export interface WriteOptions {
  /** The program's transaction: the events are committed with its other changes. @default one of its own */
  readonly tx?: Transaction | undefined;
  /** Added to the metadata of the current work, for every event. */
  readonly metadata?: EventMetadata | undefined;
}

/** The result of `appendDecided`. */
export interface Decided {
  readonly appended: Appended;
  /** The events as readers get them; none when they had been appended before. */
  readonly events: readonly StoredEvent[];
  /** Ids of the keys of their personal data. */
  readonly keys: readonly string[];
}

/** Appends events to streams. */
export class Appender {
  private readonly base: StoreBase;
  private readonly noted = new WeakSet<Transaction>();
  private statements: PostgresStatements | null = null;

  constructor(base: StoreBase) {
    this.base = base;
  }

  /** Appends to one stream. */
  async append(append: StreamAppend, { tx, metadata }: WriteOptions): Promise<Appended> {
    const { base } = this;
    const preparing = prepareAppend(base, append, this.metadata(metadata), tx ?? base.db, false);
    const prepared = isPromise(preparing) ? await preparing : preparing;
    return (await this.write(prepared, tx)).appended;
  }

  /** Appends what a decider decided. A conflict error has no newer events: the caller reads them itself. */
  async appendDecided(append: StreamAppend, { tx, metadata }: WriteOptions): Promise<Decided> {
    const { base } = this;
    const prepared = await prepareAppend(base, append, this.metadata(metadata), tx ?? base.db, true);
    const { appended, rows } = await this.write(prepared, tx);
    const keys = prepared.events.flatMap(({ key }) => key ?? []);
    return { appended, events: storedEvents(prepared, rows), keys };
  }

  /** Not async, like what it calls: each promise on the way costs as much as a check of the event. */
  private write(prepared: PreparedAppend, tx: Transaction | undefined): Promise<AppendedEvents> {
    checkTotal([prepared]);
    return tx === undefined ? this.alone(prepared) : this.joined(tx, prepared);
  }

  private async joined(tx: Transaction, prepared: PreparedAppend): Promise<AppendedEvents> {
    const written = await this.within(tx, prepared);
    this.afterCommit(tx);
    return written;
  }

  /** Appends to several streams, to all or none of them. Results are in the order given. */
  async appendMany(
    appends: readonly StreamAppend[],
    { tx, metadata }: WriteOptions,
  ): Promise<readonly Appended[]> {
    const { base } = this;
    checkStreams(appends);
    const all = this.metadata(metadata);
    const prepared: PreparedAppend[] = [];
    for (const append of appends) prepared.push(await prepareAppend(base, append, all, tx ?? base.db, false));
    checkTotal(prepared);
    if (tx !== undefined) {
      const results = await tx.transaction((inner) => this.each(inner, prepared)); // all or none, whatever the program catches
      this.afterCommit(tx);
      return results;
    }
    const results = await base.transaction((own) => this.each(own, prepared));
    base.committed();
    return results;
  }

  /** Once for each transaction, however many appends it has. */
  private afterCommit(tx: Transaction): void {
    if (this.noted.has(tx)) return;
    this.noted.add(tx);
    tx.onCommit(this.base.committed);
  }

  private metadata(given: EventMetadata | undefined): EventMetadata {
    const current = this.base.currentMetadata();
    if (given === undefined) return current;
    checkMetadata(given);
    return { ...current, ...given };
  }

  private async alone(append: PreparedAppend): Promise<AppendedEvents> {
    const { base } = this;
    const isOneStatement =
      base.inline === null && (base.db.dialect === "postgres" || append.events.length === 1);
    const written = await base.transaction(
      (tx) => this.insertAndApply(tx, append),
      isOneStatement ? (queries) => this.insert(queries, append) : undefined,
    );
    this.count(append, written);
    base.committed();
    return written;
  }

  /** Locks streams in one order, so that two appends do not wait for each other. */
  private async each(tx: Transaction, appends: readonly PreparedAppend[]): Promise<readonly Appended[]> {
    const ordered = appends.toSorted((one, other) => (placeOf(one) < placeOf(other) ? -1 : 1));
    const results = new Map<PreparedAppend, Appended>();
    for (const append of ordered) results.set(append, (await this.within(tx, append)).appended);
    const all = appends.flatMap((append) => results.get(append) ?? []);
    checkAlike(all);
    return all;
  }

  /** With its views, all or nothing, whatever the program catches. */
  private async within(tx: Transaction, append: PreparedAppend): Promise<AppendedEvents> {
    const written =
      this.base.inline === null
        ? await this.insert(tx, append)
        : await tx.transaction((inner) => this.insertAndApply(inner, append));
    this.count(append, written);
    return written;
  }

  private insertAndApply(tx: Transaction, append: PreparedAppend): Promise<AppendedEvents> {
    const { inline } = this.base;
    return inline === null ? this.insert(tx, append) : this.apply(inline, tx, append);
  }

  private async apply(inline: InlineViews, tx: Transaction, append: PreparedAppend): Promise<AppendedEvents> {
    const apply = await inline.begin(tx);
    const written = await this.insert(tx, append);
    if (written.appended.isNew) await apply(await viewEvents(this.base, tx, append, written.rows));
    return written;
  }

  private insert(queries: Queries, append: PreparedAppend): Promise<AppendedEvents> {
    const { base } = this;
    return base.db.dialect === "postgres"
      ? appendOnPostgres(base, this.postgresStatements(), queries, append)
      : appendOnSqlite(base, queries, append);
  }

  private postgresStatements(): PostgresStatements {
    const { now, settings } = this.base;
    return (this.statements ??= new PostgresStatements(now, settings.positions));
  }

  private count(
    { stream, tenant, events }: PreparedAppend,
    { appended: { version, isNew } }: AppendedEvents,
  ): void {
    if (!isNew) return;
    const { counts, log, settings } = this.base;
    counts.appended += events.length;
    const { maxEventsPerAggregate: limit } = settings;
    if (version <= limit || version - events.length > limit) return; // warns once, when it passes the limit
    counts.longStreams++;
    log.warn(
      "event-sourcing: a stream is longer than maxEventsPerAggregate; split it, or archive it and go on in a new one",
      {
        stream,
        tenant,
        version,
        maxEventsPerAggregate: limit,
      },
    );
  }
}

const placeOf = ({ tenant, stream }: Pick<StreamAppend, "tenant" | "stream">): string =>
  `${tenant ?? ""}\n${stream}`;

/** @throws EVENTS_BAD_APPEND */
const checkStreams = (appends: readonly StreamAppend[]): void => {
  if (appends.length === 0) throw mistake("EVENTS_BAD_APPEND", "appendMany needs at least one stream");
  if (appends.length > MAX_STREAMS)
    throw mistake("EVENTS_TOO_LARGE", `an append has at most ${MAX_STREAMS} streams, not ${appends.length}`);
  if (new Set(appends.map(placeOf)).size < appends.length)
    throw mistake("EVENTS_BAD_APPEND", "appendMany has a stream twice; give all its events in one entry");
};

/** An append that is repeated with the same ids is repeated as a whole. @throws EVENTS_BAD_APPEND, and nothing is appended */
const checkAlike = (results: readonly Appended[]): void => {
  if (new Set(results.map(({ isNew }) => isNew)).size > 1)
    throw mistake(
      "EVENTS_BAD_APPEND",
      "some streams have these event ids already and others do not; repeat the same append",
    );
};
