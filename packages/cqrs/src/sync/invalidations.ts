import type { Logger } from "@framework/core";
import type { Clock } from "@framework/core/feature";
import type { EventStore, Subscription } from "@framework/event-sourcing";
import type { AnyQuery } from "../definitions/query.ts";
import { delay } from "../time/or-aborted.ts";
import { queryTag } from "./query-tag.ts";
import { ViewSwaps } from "./view-swaps.ts";

/** Maximum wait for projections per round, in milliseconds. */
const WAIT_MS = 10_000;

/** Pause before a new subscription, after one has ended at an event that cannot be read. */
const RESUME_MS = 1000;

/** Dependencies of `Invalidations`. */
export interface InvalidationsParts {
  /** Returns the queries with a `cache`; complete once the app starts. */
  readonly queries: () => readonly AnyQuery[];
  /** Drops the replies with these tags. */
  readonly invalidate: (tags: readonly string[]) => Promise<unknown>;
  readonly eventStore: () => EventStore | null;
  readonly clock: Clock;
  readonly log: () => Logger;
}

/**
 * Drops the cached replies of queries that events invalidate: at the commit of a command of this process, and again when the projections of the query contain
 * the event, appended by any process. Also drops them when a new version of a projection goes live.
 */
export class Invalidations {
  private readonly parts: InvalidationsParts;
  private readonly stopping = new AbortController();
  /** Latest position for which each query must be invalidated; bounded by the number of queries. */
  private readonly pending = new Map<AnyQuery, string>();
  private readonly swaps: ViewSwaps;
  private subscription: Subscription | null = null;
  private following: Promise<void> | null = null;
  private working: Promise<void> | null = null;

  constructor(parts: InvalidationsParts) {
    this.parts = parts;
    const { eventStore, clock, log } = parts;
    this.swaps = new ViewSwaps({ eventStore, clock, log, onSwapped: (names) => this.onSwapped(names) });
  }

  /**
   * Subscribes to events. Drops all cached replies once, because events may have been appended while no process was subscribed, and again when projections that
   * are being built or lag have read the present events.
   */
  async begin(): Promise<void> {
    const store = this.parts.eventStore();
    const queries = this.parts.queries();
    if (store === null || queries.length === 0) return;
    await this.swaps.begin();
    const types = [...new Set(queries.flatMap(typesOf))];
    const position = await store.position();
    const lagging: AnyQuery[] = [];
    for (const query of queries) if (!(await containsAll(store, query, position))) lagging.push(query);
    this.dropLater(lagging, position); // before the first event: a later position must not be replaced by this one
    if (types.length > 0) {
      this.subscribe(store, types, position);
      this.following = this.follow(store, types);
    }
    await this.drop(queries);
  }

  private subscribe(store: EventStore, types: readonly string[], after: string): void {
    if (this.stopping.signal.aborted) return;
    this.subscription = store.subscribe({ after, types, retry: { attempts: 1 } }, ({ type, position }) =>
      this.onEvent(type, position),
    );
  }

  /**
   * Subscribes again when a subscription has ended, as at an event of a later release, and drops all cached replies, because events may have been missed. Never
   * rejects.
   */
  private async follow(store: EventStore, types: readonly string[]): Promise<void> {
    const { signal } = this.stopping;
    const { clock, log, queries } = this.parts;
    while (!signal.aborted) {
      try {
        await this.subscription?.done;
        return; // it was stopped
      } catch {
        // logged by the event store
      }
      try {
        await delay(clock, RESUME_MS, signal);
        const position = await store.position();
        this.dropLater(queries(), position); // before the first event, as in `begin`
        this.subscribe(store, types, position);
        await this.drop(queries());
      } catch (error) {
        if (!signal.aborted) log().warn("cqrs: could not subscribe to events again; will retry", { error });
      }
    }
  }

  async end(): Promise<void> {
    this.stopping.abort();
    await this.swaps.end();
    await this.subscription?.stop();
    await this.following;
    await this.working;
  }

  /** Drops the replies that events of a command of this process invalidate; resolves when no worker serves them any more. Never rejects. */
  async dropForEvents(types: ReadonlySet<string>): Promise<void> {
    const affected = this.parts.queries().filter((query) => typesOf(query).some((type) => types.has(type)));
    await this.drop(affected);
  }

  /** Drops the replies of queries that read these projections; a query without `projections` may read any. */
  private async onSwapped(names: ReadonlySet<string>): Promise<void> {
    const reads = ({ projections }: AnyQuery): boolean =>
      projections === null || projections.some((name) => names.has(name));
    await this.drop(this.parts.queries().filter(reads));
  }

  private onEvent(type: string, position: string): void {
    const affected = this.parts.queries().filter((query) => typesOf(query).includes(type));
    this.dropLater(affected, position);
  }

  /** Drops the replies of queries when their projections contain a position. */
  private dropLater(queries: readonly AnyQuery[], position: string): void {
    for (const query of queries) this.pending.set(query, position);
    this.working ??= this.work().finally(() => {
      this.working = null;
    });
  }

  /** Waits for projections and drops replies until nothing is pending. Events that arrive meanwhile are handled in the next round. */
  private async work(): Promise<void> {
    await Promise.resolve(); // lets the caller set `working`, and events of one batch share a round
    while (this.pending.size > 0 && !this.stopping.signal.aborted) {
      const round = [...this.pending];
      this.pending.clear();
      await Promise.all(round.map(([query, position]) => this.dropWhenVisible(query, position)));
    }
  }

  private async dropWhenVisible(query: AnyQuery, position: string): Promise<void> {
    const { signal } = this.stopping;
    const options = { projections: query.projections ?? undefined, timeoutMs: WAIT_MS, signal };
    try {
      const isVisible = await this.parts.eventStore()?.waitFor(position, options);
      if (isVisible === false && !this.pending.has(query)) this.pending.set(query, position); // unless a later one is pending
    } catch (error) {
      if (signal.aborted) return;
      this.parts.log().warn("cqrs: waiting for the projections of a query failed", { error });
    }
    await this.drop([query]);
  }

  private async drop(queries: readonly AnyQuery[]): Promise<void> {
    if (queries.length === 0) return;
    try {
      await this.parts.invalidate(queries.map(({ name }) => queryTag(name)));
    } catch (error) {
      this.parts.log().warn("cqrs: cached replies of queries were not dropped", { error });
    }
  }
}

/** Whether the projections of a query contain the events up to a position; `true` if this process does not have them. */
const containsAll = async (
  store: EventStore,
  { projections }: AnyQuery,
  position: string,
): Promise<boolean> => {
  try {
    return await store.waitFor(position, { projections: projections ?? undefined, timeoutMs: 0 });
  } catch {
    return true;
  }
};

const typesOf = ({ cache }: AnyQuery): readonly string[] =>
  cache?.invalidatedBy.map(({ type }) => type) ?? [];
