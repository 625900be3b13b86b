import type { Logger } from "@framework/core";
import type { Clock } from "@framework/core/feature";
import type { EventStore, Subscription } from "@framework/event-sourcing";
import type { AnyQuery } from "../definitions/query.ts";
import { queryTag } from "./query-tag.ts";
import { ViewSwaps } from "./view-swaps.ts";

/** Longest wait for one look at the projections, in milliseconds; then the next one begins. */
const LOOK_MS = 10_000;

/** Parts of `Invalidations`. */
export interface InvalidationsParts {
  /** Returns the queries with a `cache`; complete from the start on. */
  readonly queries: () => readonly AnyQuery[];
  /** Drops the replies with these tags. */
  readonly invalidate: (tags: readonly string[]) => Promise<unknown>;
  readonly eventStore: () => EventStore | null;
  readonly clock: Clock;
  readonly log: () => Logger;
}

/**
 * Drops the cached replies of queries when events have changed their answers: at the commit of a command of this process, and again when the projections
 * that the query reads contain the event, wherever it was appended; and when a projection has been built again.
 */
export class Invalidations {
  private readonly parts: InvalidationsParts;
  private readonly stopping = new AbortController();
  /** Positions that queries must see, by query; bounded by the queries. */
  private readonly pending = new Map<AnyQuery, string>();
  private readonly swaps: ViewSwaps;
  private subscription: Subscription | null = null;
  private working: Promise<void> | null = null;

  constructor(parts: InvalidationsParts) {
    this.parts = parts;
    const { eventStore, clock, log } = parts;
    this.swaps = new ViewSwaps({ eventStore, clock, log, swapped: (names) => this.swapped(names) });
  }

  /** Begins to follow the events. Older cached replies are dropped once, because events may have been appended while no process followed them. */
  async begin(): Promise<void> {
    const store = this.parts.eventStore();
    const queries = this.parts.queries();
    if (store === null || queries.length === 0) return;
    await this.swaps.begin();
    const types = [...new Set(queries.flatMap(typesOf))];
    if (types.length > 0) {
      const after = await store.position();
      this.subscription = store.subscribe({ after, types, retry: { attempts: 1 } }, ({ type, position }) =>
        this.happened(type, position),
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

  /** Drops the replies that the events of a command of this process change; resolves when no worker serves it any more. Never rejects. */
  async committed(types: ReadonlySet<string>): Promise<void> {
    const affected = this.parts.queries().filter((query) => typesOf(query).some((type) => types.has(type)));
    await this.drop(affected);
  }

  /** A query without `projections` may read any of them. */
  private async swapped(names: ReadonlySet<string>): Promise<void> {
    const reads = ({ projections }: AnyQuery): boolean =>
      projections === null || projections.some((name) => names.has(name));
    await this.drop(this.parts.queries().filter(reads));
  }

  private happened(type: string, position: string): void {
    for (const query of this.parts.queries())
      if (typesOf(query).includes(type)) this.pending.set(query, position);
    this.working ??= this.work().finally(() => {
      this.working = null;
    });
  }

  /** Waits for projections and drops, until nothing is pending. Events that come meanwhile wait for the next round. */
  private async work(): Promise<void> {
    await Promise.resolve(); // so that `working` is set, and the events of one batch share a round
    while (this.pending.size > 0 && !this.stopping.signal.aborted) {
      const round = [...this.pending];
      this.pending.clear();
      await Promise.all(round.map(([query, position]) => this.whenShown(query, position)));
    }
  }

  private async whenShown(query: AnyQuery, position: string): Promise<void> {
    const { signal } = this.stopping;
    const options = { projections: query.projections ?? undefined, timeoutMs: LOOK_MS, signal };
    try {
      const isShown = await this.parts.eventStore()?.waitFor(position, options);
      if (isShown === false && !this.pending.has(query)) this.pending.set(query, position); // a later one is as good
    } catch (error) {
      if (signal.aborted) return;
      this.parts.log().warn("cqrs: the projections of a query could not be followed", { error });
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
