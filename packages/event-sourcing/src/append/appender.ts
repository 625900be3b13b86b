import { isPromise } from "@framework/core/feature";
import type { Queries, Transaction } from "@framework/database";
import type { InlineViews, StoreBase } from "../base/store-base.ts";
import { eventError } from "../errors/event-error.ts";
import type { EventMetadata } from "../events/event-metadata.ts";
import type { StoredEvent } from "../events/stored-event.ts";
import { MAX_STREAMS } from "../limits.ts";
import { withMetadata } from "./check-event.ts";
import { type AppendResult, type AppendResultWithRows, storedEvents } from "./appended.ts";
import { appendOnPostgres } from "./postgres-append.ts";
import { PostgresStatements } from "./postgres-statements.ts";
import {
  checkTotalBytes,
  prepareAppend,
  prepareAppends,
  type PreparedAppend,
  type StreamAppend,
} from "./prepare-append.ts";
import { appendOnSqlite } from "./sqlite-append.ts";
import { viewEvents } from "./view-events.ts";

/** Options shared by all appends. */
export interface WriteOptions {
  /** Transaction of the caller: the events are committed with its other changes. @default a separate transaction */
  readonly tx?: Transaction | undefined;
  /** Added to the metadata of the current request or message, for every event. */
  readonly metadata?: EventMetadata | undefined;
}

/** The result of `appendDecided`. */
export interface DecidedAppend {
  readonly appended: AppendResult;
  /** The events as readers get them; empty when they had been appended before. */
  readonly events: readonly StoredEvent[];
  /** Ids of the keys that encrypted their personal data. */
  readonly keys: readonly string[];
}

/** Appends events to streams. */
export class Appender {
  private readonly base: StoreBase;
  private readonly registered = new WeakSet<Transaction>();
  private statements: PostgresStatements | null = null;

  constructor(base: StoreBase) {
    this.base = base;
  }

  /** Appends to one stream. */
  async append(append: StreamAppend, { tx, metadata }: WriteOptions): Promise<AppendResult> {
    const { base } = this;
    const preparing = prepareAppend(base, append, this.metadata(metadata), tx ?? base.db, false);
    const prepared = isPromise(preparing) ? await preparing : preparing;
    return (await this.write(prepared, tx)).appended;
  }

  /** Appends the events of a decider. A conflict error has no newer events: the caller reads them itself. */
  async appendDecided(append: StreamAppend, { tx, metadata }: WriteOptions): Promise<DecidedAppend> {
    const { base } = this;
    const prepared = await prepareAppend(base, append, this.metadata(metadata), tx ?? base.db, true);
    const { appended, rows } = await this.write(prepared, tx);
    const keys = prepared.events.flatMap(({ key }) => key ?? []);
    return { appended, events: storedEvents(prepared, rows), keys };
  }

  /** Not async, which saves a promise per append. */
  private write(prepared: PreparedAppend, tx: Transaction | undefined): Promise<AppendResultWithRows> {
    checkTotalBytes([prepared]);
    return tx === undefined ? this.appendInOwnTransaction(prepared) : this.appendIn(tx, prepared);
  }

  private async appendIn(tx: Transaction, prepared: PreparedAppend): Promise<AppendResultWithRows> {
    const written = await this.insertIn(tx, prepared);
    this.notifyOnCommit(tx);
    return written;
  }

  /** Appends to several streams atomically. Results are in the order given. */
  async appendMany(
    appends: readonly StreamAppend[],
    { tx, metadata }: WriteOptions,
  ): Promise<readonly AppendResult[]> {
    const { base } = this;
    checkStreams(appends);
    const prepared = await prepareAppends(base, appends, this.metadata(metadata), tx ?? base.db);
    checkTotalBytes(prepared);
    if (tx !== undefined) {
      const results = await tx.transaction((inner) => this.appendEach(inner, prepared)); // a savepoint: all or none, even if the caller catches the error
      this.notifyOnCommit(tx);
      return results;
    }
    const results = await base.transaction((own) => this.appendEach(own, prepared));
    base.onCommit();
    return results;
  }

  /** Registers the commit callback once per transaction, not once per append. */
  private notifyOnCommit(tx: Transaction): void {
    if (this.registered.has(tx)) return;
    this.registered.add(tx);
    tx.onCommit(this.base.onCommit);
  }

  private metadata(given: EventMetadata | undefined): EventMetadata {
    return withMetadata(this.base.currentMetadata(), given);
  }

  private async appendInOwnTransaction(append: PreparedAppend): Promise<AppendResultWithRows> {
    const { base } = this;
    const isOneStatement =
      base.inline === null && (base.db.dialect === "postgres" || append.events.length === 1);
    const written = await base.transaction(
      (tx) => this.insertAndApply(tx, append),
      isOneStatement ? (queries) => this.insert(queries, append) : undefined,
    );
    this.count(append, written);
    base.onCommit();
    return written;
  }

  /** Locks streams in a fixed order, so that concurrent calls do not deadlock on them. */
  private async appendEach(
    tx: Transaction,
    appends: readonly PreparedAppend[],
  ): Promise<readonly AppendResult[]> {
    const ordered = appends.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
    const results = new Map<PreparedAppend, AppendResult>();
    for (const append of ordered) results.set(append, (await this.insertIn(tx, append)).appended);
    const all = appends.flatMap((append) => results.get(append) ?? []);
    checkAllNewOrAllRepeated(all);
    return all;
  }

  /** With inline views, appends in a savepoint: all or nothing, even if the caller catches the error. */
  private async insertIn(tx: Transaction, append: PreparedAppend): Promise<AppendResultWithRows> {
    const written =
      this.base.inline === null
        ? await this.insert(tx, append)
        : await tx.transaction((inner) => this.insertAndApply(inner, append));
    this.count(append, written);
    return written;
  }

  private insertAndApply(tx: Transaction, append: PreparedAppend): Promise<AppendResultWithRows> {
    const { inline } = this.base;
    return inline === null ? this.insert(tx, append) : this.apply(inline, tx, append);
  }

  private async apply(
    inline: InlineViews,
    tx: Transaction,
    append: PreparedAppend,
  ): Promise<AppendResultWithRows> {
    const apply = await inline.begin(tx);
    const written = await this.insert(tx, append);
    if (written.appended.isNew) await apply(await viewEvents(this.base, tx, append, written.rows));
    return written;
  }

  private insert(queries: Queries, append: PreparedAppend): Promise<AppendResultWithRows> {
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
    { appended: { version, isNew } }: AppendResultWithRows,
  ): void {
    if (!isNew) return;
    const { counts, log, settings } = this.base;
    counts.appended += events.length;
    const { maxEventsPerAggregate: limit } = settings;
    if (version <= limit || version - events.length > limit) return; // warns only when the stream crosses the limit
    counts.longStreams++;
    log.warn(
      "event-sourcing: a stream is longer than maxEventsPerAggregate; split it, or archive it and continue in a new stream",
      {
        stream,
        tenant,
        version,
        maxEventsPerAggregate: limit,
      },
    );
  }
}

const keyOf = ({ tenant, stream }: Pick<StreamAppend, "tenant" | "stream">): string =>
  `${tenant ?? ""}\n${stream}`;

/** @throws EVENTS_BAD_APPEND, EVENTS_TOO_LARGE */
const checkStreams = (appends: readonly StreamAppend[]): void => {
  if (appends.length === 0) throw eventError("EVENTS_BAD_APPEND", "appendMany needs at least one stream");
  if (appends.length > MAX_STREAMS)
    throw eventError(
      "EVENTS_TOO_LARGE",
      `an append must have at most ${MAX_STREAMS} streams, not ${appends.length}`,
    );
  if (new Set(appends.map(keyOf)).size < appends.length)
    throw eventError("EVENTS_BAD_APPEND", "appendMany has a stream twice; put all its events into one entry");
};

/** Rejects a mix of new and repeated appends: an append must be repeated as a whole. @throws EVENTS_BAD_APPEND, and nothing is appended */
const checkAllNewOrAllRepeated = (results: readonly AppendResult[]): void => {
  if (new Set(results.map(({ isNew }) => isNew)).size > 1)
    throw eventError(
      "EVENTS_BAD_APPEND",
      "some streams already have these event ids and others do not; repeat exactly the same append",
    );
};
