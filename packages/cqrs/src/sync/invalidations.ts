import type { Logger } from "@framework/core";
import type { Clock } from "@framework/core/feature";
import type { EventStore, Subscription } from "@framework/event-sourcing";
import type { AnyQuery } from "../definitions/query.ts";
import { queryTag } from "./query-tag.ts";
import { ViewSwaps } from "./view-swaps.ts";

/** Maximum wait for projections per round, in milliseconds. */
const WAIT_MS = 10_000;

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
  private working: Promise<void> | null = null;

  constructor(parts: InvalidationsParts) {
    this.parts = parts;
    const { eventStore, clock, log } = parts;
    this.swaps = new ViewSwaps({ eventStore, clock, log, onSwapped: (names) => this.onSwapped(names) });
  }

  /** Subscribes to events. Drops all cached replies once, because events may have been appended while no process was subscribed. */
  async begin(): Promise<void> {
    const store = this.parts.eventStore();
    const queries = this.parts.queries();
    if (store === null || queries.length === 0) return;
    await this.swaps.begin();
    const types = [...new Set(queries.flatMap(typesOf))];
    if (types.length > 0) {
      const after = await store.position();
      this.subscription = store.subscribe({ after, types, retry: { attempts: 1 } }, ({ type, position }) =>
        this.onEvent(type, position),
      );
    }
    await this.drop(queries);
  }

  async end(): Promise<void> {
    this.stopping.abort();
    await this.swaps.end();
    await this.subscription?.stop();
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
    for (const query of this.parts.queries())
      if (typesOf(query).includes(type)) this.pending.set(query, position);
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

const typesOf = ({ cache }: AnyQuery): readonly string[] =>
  cache?.invalidatedBy.map(({ type }) => type) ?? [];
