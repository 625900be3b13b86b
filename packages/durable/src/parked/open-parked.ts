import { FrameworkError } from "@framework/core";
import { type HostInsight, keepAliveDuring } from "@framework/core/feature";
import type { Queries, Transaction } from "@framework/database";
import type { KernelBase } from "../base/kernel-base.ts";
import { withoutTables } from "../base/without-tables.ts";
import type { KernelPart } from "../base/kernel-life.ts";
import type { RunTransaction } from "../group-commit/group-commit.ts";
import { failureOf } from "./failure.ts";
import { checkedFilter, checkedNote, checkedReplay, idOf, isIds } from "./parked-filter.ts";
import type { ParkedDetails } from "./parked-item.ts";
import { parkedPanel } from "./parked-panel.ts";
import { NOT_PARKED, OrderedParked } from "./ordered-parked.ts";
import type { NewParked, ParkedSource } from "./parked-source.ts";
import { ParkedStore } from "./parked-store.ts";
import { PARKED_TABLES, parkedTables } from "./parked-tables.ts";
import type {
  DiscardOptions,
  ParkedFilter,
  ParkedPage,
  ParkedWork,
  ReplayResult,
  ReplayOptions,
} from "./parked-work.ts";

const MAX_FAILURES = 100;
const PAGE = 1000;

/** Mean pause between two rounds of removal. */
const PRUNE_MS = 600_000;

/** Parked work of a kernel: registers its sources, and implements the operators' methods. */
export class OpenParked implements ParkedWork, KernelPart {
  readonly name = "parked work";
  readonly store: ParkedStore;
  /** Parked work of ordered sources, for the owners of their lanes. */
  readonly inOrder: OrderedParked;
  private readonly base: KernelBase;
  private readonly transaction: RunTransaction;
  private readonly sources = new Map<string, ParkedSource>();
  private cancelPrune: () => void = () => {};
  private pruning: Promise<void> = Promise.resolve();
  private hasTable = false;
  private hasEnded = false;
  private refused = 0;

  constructor(base: KernelBase, transaction: RunTransaction) {
    this.base = base;
    this.transaction = transaction;
    this.store = new ParkedStore(base);
    this.inOrder = new OrderedParked(base);
  }

  /** Registers a source of parked work, and adds the table with the first source. @throws DURABLE_SOURCE_TAKEN; DURABLE_ALREADY_STARTED */
  add(source: ParkedSource): void {
    if (this.sources.has(source.source))
      throw new FrameworkError(
        "DURABLE_SOURCE_TAKEN",
        `durable: the source "${source.source}" of parked work already exists; rename one`,
      );
    this.useTable();
    this.sources.set(source.source, source);
  }

  /** Adds the table once. @throws DURABLE_ALREADY_STARTED */
  useTable(): void {
    if (!this.hasTable) this.base.tables.add(PARKED_TABLES, parkedTables);
    this.hasTable = true;
  }

  /** Returns whether another item can be parked. If not, counts the refusal and logs the first one; the work must wait at its source. */
  async checkRoom(queries?: Queries): Promise<boolean> {
    if (!(await this.store.isFull(queries))) return true;
    if (this.refused++ === 0)
      this.base.log.warn(
        "durable: maxParked is reached; work that gives up waits at its source until parked work is replayed or discarded",
        { maxParked: this.base.config.maxParked },
      );
    return false;
  }

  /** Parks work, in the transaction that removes it from its source. */
  async park(tx: Transaction, work: NewParked): Promise<void> {
    await this.store.add(tx, work);
  }

  async list(filter: ParkedFilter = {}): Promise<ParkedPage> {
    const checked = checkedFilter(filter);
    const items = await this.withTable(() => this.store.list({ ...checked, limit: checked.limit + 1 }));
    const page = items.slice(0, checked.limit);
    return { items: page, next: items.length > checked.limit ? (page.at(-1)?.id ?? null) : null };
  }

  async inspect(id: string): Promise<ParkedDetails | null> {
    const number = idOf(id);
    const item = number === null ? null : await this.withTable(() => this.store.get(number));
    const load = item === null ? undefined : this.sources.get(item.source)?.load;
    return item === null || load === undefined ? item : { ...item, payload: await load(item) };
  }

  async replay(which: readonly string[] | ParkedFilter, options: ReplayOptions = {}): Promise<ReplayResult> {
    const { limit, perSecond, signal } = checkedReplay(which, options);
    const ids = isIds(which) ? which.slice(0, limit) : await this.idsOf(which, limit);
    return await keepAliveDuring(() => this.replayAll(ids, perSecond, signal));
  }

  async discard(ids: readonly string[], options: DiscardOptions): Promise<number> {
    const note = checkedNote(ids, options);
    const numbers = ids.flatMap((id) => idOf(id) ?? []);
    return await this.inTransaction((tx) => this.store.discard(tx, numbers, note));
  }

  async count(): Promise<number> {
    return await this.withTable(() => this.store.count());
  }

  begin(): void {
    if (this.hasTable) this.pruning = this.prune();
  }

  async stop(): Promise<void> {
    this.hasEnded = true;
    this.cancelPrune();
    await this.pruning;
  }

  report(insight: HostInsight): void {
    const { base, store } = this;
    insight.metric({
      name: "durable_parked_items",
      help: "Work that gave up and waits for a decision, or is being replayed, when it was last counted.",
      type: "gauge",
      across: "max",
      read: () => store.lastCount,
    });
    insight.metric({
      name: "durable_parked_refused_total",
      help: "Times that work could not be parked, because there were maxParked items.",
      type: "counter",
      read: () => this.refused,
    });
    insight.panel(parkedPanel(this, () => this.hasTable));
    insight.expose("parked", () => ({ items: store.lastCount, maxParked: base.config.maxParked }));
  }

  private async replayAll(
    ids: readonly string[],
    perSecond: number,
    signal: AbortSignal | undefined,
  ): Promise<ReplayResult> {
    const failed: { readonly id: string; readonly reason: string }[] = [];
    let replayed = 0;
    for (const [at, id] of ids.entries()) {
      if (at > 0) await this.pause(1000 / perSecond);
      if (signal?.aborted) break;
      const reason = await this.replayOne(id);
      if (reason === null) replayed++;
      else if (failed.length < MAX_FAILURES) failed.push({ id, reason });
    }
    return { replayed, failed };
  }

  /** Replays one item. @returns the reason why it was not replayed; `null` if it was */
  private async replayOne(id: string): Promise<string | null> {
    const number = idOf(id);
    if (number === null) return "the item does not exist";
    try {
      return await this.inTransaction(async (tx) => {
        const name = await this.store.sourceOf(tx, number);
        if (name === null) return NOT_PARKED;
        const source = this.sources.get(name);
        if (source === undefined) return `this process has no source "${name}", so it cannot replay its work`;
        const item =
          source.isOrdered === true
            ? await this.inOrder.replay(tx, number)
            : ((await this.store.markReplayed(tx, number)) ?? NOT_PARKED);
        if (typeof item === "string") return item;
        await source.replay(tx, item);
        return null;
      });
    } catch (error) {
      return failureOf(error).message;
    }
  }

  private inTransaction<T>(run: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.withTable(() => this.transaction(run));
  }

  /** Runs statements that fail while the table does not exist. @throws DURABLE_TABLES_MISSING */
  private async withTable<T>(run: () => Promise<T>): Promise<T> {
    try {
      return await run();
    } catch (error) {
      if (!this.hasTable) throw withoutTables(error, "not used");
      throw this.base.tables.arePrepared ? error : withoutTables(error);
    }
  }

  private async idsOf(filter: ParkedFilter, limit: number): Promise<readonly string[]> {
    const ids: string[] = [];
    let after = filter.after;
    while (ids.length < limit) {
      const { items, next } = await this.list({
        ...filter,
        after,
        limit: Math.min(PAGE, limit - ids.length),
      });
      ids.push(...items.map(({ id }) => id));
      if (next === null) break;
      after = next;
    }
    return ids;
  }

  private pause(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.base.clock.after(ms, resolve);
    return promise;
  }

  /** Removes old replayed and discarded items, and counts the parked ones, about every ten minutes. */
  private async prune(): Promise<void> {
    const { clock, random, log } = this.base;
    try {
      while (!this.hasEnded && (await this.store.prune()) > 0);
      await this.store.count();
    } catch (error) {
      log.warn("durable: parked work could not be pruned; the next round tries again", { error });
    }
    if (this.hasEnded) return;
    this.cancelPrune = clock.after(PRUNE_MS * (0.5 + random()), () => {
      this.pruning = this.prune();
    });
  }
}
