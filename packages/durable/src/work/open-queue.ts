import { FrameworkError } from "@framework/core";
import { markHandled, isOptions, describeInvalid, unknownFields } from "@framework/core/feature";
import type { Transaction } from "@framework/database";
import type { WakeUp } from "../wake-up/wake-up.ts";
import { CANCELLED_CHANNEL, readyChannel } from "./loop/work-channels.ts";
import type { WorkLoop } from "./loop/work-loop.ts";
import { MAX_CALL_LENGTH, MAX_ITEMS, type NewWork, toRow } from "./queue/new-work.ts";
import type { AddedRow, NewRow } from "./table/enqueueing.ts";
import { badWork } from "./queue/work-errors.ts";
import { toInfo, type WorkInfo } from "./work-info.ts";
import {
  type CancelOptions,
  type EnqueuedItem,
  type UniqueItem,
  type WorkFilter,
  type WorkOptions,
  workOrders,
  type WorkPage,
  type WorkQueue,
  type WorkStats,
} from "./work-queue.ts";
import { workStates } from "./table/work-state.ts";
import type { WorkStore } from "./table/work-store.ts";

/** Dependencies of `OpenQueue`. */
export interface OpenQueueParts {
  readonly name: string;
  readonly store: () => WorkStore;
  readonly loop: WorkLoop;
  readonly wakeUp: WakeUp;
}

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1000;
const MAX_COUNTED = 100_000;

/** A queue of this process. */
export class OpenQueue<T> implements WorkQueue<T> {
  readonly name: string;
  private readonly parts: OpenQueueParts;

  constructor(parts: OpenQueueParts) {
    this.parts = parts;
    this.name = parts.name;
  }

  enqueue(
    work: NewWork<T> | readonly NewWork<T>[],
    options: WorkOptions = {},
  ): Promise<readonly EnqueuedItem[]> {
    return markHandled(this.add(Array.isArray(work) ? work : [work], options));
  }

  private async add(work: readonly NewWork<T>[], options: WorkOptions): Promise<readonly EnqueuedItem[]> {
    checkOptions(this.name, options, ["tx"]);
    const { tx } = options;
    if (work.length > MAX_ITEMS)
      throw badWork(this.name, `one call may add at most ${MAX_ITEMS} items, not ${work.length}`);
    if (work.length === 0) return [];
    const rows = work.map((each) => toRow(this.name, each));
    const length = rows.reduce(
      (sum, { payload, headers }) => sum + payload.length + (headers?.length ?? 0),
      0,
    );
    if (length > MAX_CALL_LENGTH)
      throw badWork(
        this.name,
        "the payloads and headers of one call must not exceed 64 MiB in total; use several calls",
      );
    const added = await this.addRows(rows, tx);
    return added.map(({ id, isNew }) => ({ id: String(id), isNew }));
  }

  /** Adds rows that were checked and serialised. */
  async addRows(rows: readonly NewRow[], tx?: WorkOptions["tx"]): Promise<readonly AddedRow[]> {
    const added = await this.parts.store().enqueueing.add(this.name, rows, tx);
    if (tx === undefined) this.announce(rows);
    else tx.onCommit(() => this.announce(rows));
    return added;
  }

  /** Wakes the workers of the queue. Other processes find delayed items when they poll. */
  private announce(rows: readonly NewRow[]): void {
    const { loop, wakeUp } = this.parts;
    const delayMs = Math.min(...rows.map((row) => (row.runAt === null ? row.delayMs : Infinity)));
    if (delayMs === 0) wakeUp.signal(readyChannel(this.name));
    else if (delayMs < Infinity) loop.dueIn(delayMs);
    if (rows.some(({ runAt }) => runAt !== null)) loop.dueIn(0); // the poll compares `runAt` with the database's clock
  }

  cancel(item: string | UniqueItem, options: CancelOptions = {}): Promise<boolean> {
    return markHandled(this.stop(item, options));
  }

  private async stop(item: string | UniqueItem, options: CancelOptions): Promise<boolean> {
    checkOptions(this.name, options, ["tx", "keepRunning"]);
    const { tx, keepRunning = false } = options;
    const lookup = this.lookupOf(item);
    const { stopping, keyOrder } = this.parts.store();
    const row =
      lookup === null ? null : await stopping.cancel(this.name, lookup, { keepRunning, session: tx });
    if (row === null) return false;
    if (row.key !== null) await keyOrder.unblock(this.name, [row.key], tx);
    if (tx === undefined) this.announceCancelled(row.id);
    else tx.onCommit(() => this.announceCancelled(row.id));
    return true;
  }

  /** Returns the id or unique key to look up; `null` for a string that is not an id. @throws DURABLE_BAD_WORK */
  private lookupOf(item: string | UniqueItem): number | UniqueItem | null {
    if (typeof item === "string") return numberOf(item);
    checkUniqueItem(this.name, item);
    return item;
  }

  private announceCancelled(id: number): void {
    const { loop, wakeUp } = this.parts;
    loop.worker(this.name)?.cancel(id);
    wakeUp.signal(CANCELLED_CHANNEL);
    wakeUp.signal(readyChannel(this.name));
  }

  async retry(id: string): Promise<boolean> {
    const { store, wakeUp } = this.parts;
    const number = numberOf(id);
    const row = number === null ? null : await store().stopping.restart(this.name, number);
    if (row !== null) wakeUp.signal(readyChannel(this.name));
    return row !== null;
  }

  async get(item: string | UniqueItem): Promise<WorkInfo | null> {
    const lookup = this.lookupOf(item);
    const row = lookup === null ? null : await this.parts.store().reading.get(this.name, lookup);
    return row === null ? null : toInfo(row);
  }

  async list(given: WorkFilter = {}): Promise<WorkPage> {
    checkFilterNames(given);
    const { state, key, order = "oldest", after, limit = DEFAULT_LIMIT } = given;
    const from = after === undefined ? undefined : numberOf(after);
    if (!(Number.isInteger(limit) && limit >= 1 && limit <= MAX_LIMIT))
      throw badFilter(`limit must be a whole number from 1 to ${MAX_LIMIT}`);
    if (from === null) throw badFilter("after must be the `next` cursor of a previous page");
    if (!workOrders.includes(order)) throw badFilter(`order must be one of ${workOrders.join(", ")}`);
    if (state !== undefined && !workStates.includes(state))
      throw badFilter(`state must be one of ${workStates.join(", ")}`);
    if (key !== undefined && typeof key !== "string")
      throw badFilter(`key must be a string, not ${describeInvalid(key)}`);
    const filter = {
      queue: this.name,
      state: state ?? null,
      key: key ?? null,
      order,
      after: from,
      limit: limit + 1,
    };
    const rows = await this.parts.store().reading.list(filter);
    const items = rows.slice(0, limit).map(toInfo);
    return { items, next: rows.length > limit ? (items.at(-1)?.id ?? null) : null };
  }

  async stats(): Promise<WorkStats> {
    const { counts, oldestReadyMs } = await this.parts.store().reading.count(this.name, MAX_COUNTED);
    const { waiting = 0, ready = 0, blocked = 0, running = 0 } = counts;
    return { waiting, ready, blocked, running, oldestReadyMs };
  }
}

/** Parses an id; `null` for a string that is not one, which a client may send. */
const numberOf = (id: string): number | null => {
  const number = Number(id);
  return /^[1-9]\d{0,15}$/.test(id) && Number.isSafeInteger(number) ? number : null;
};

const filterNames = Object.keys({
  state: 0,
  key: 0,
  order: 0,
  after: 0,
  limit: 0,
} satisfies Record<keyof WorkFilter, 0>);

/** Rejects unknown fields, because a misspelt one would select more work than intended. @throws DURABLE_BAD_FILTER */
const checkFilterNames = (filter: WorkFilter): void => {
  const isRecord: boolean = isOptions(filter);
  if (!isRecord) throw badFilter(`the filter must be an object, not ${describeInvalid(filter)}`);
  const [unknown] = unknownFields("the filter", filter, filterNames);
  if (unknown !== undefined) throw badFilter(unknown);
};

/** @throws DURABLE_BAD_WORK */
const checkOptions = (queue: string, options: CancelOptions, known: readonly string[]): void => {
  const isRecord: boolean = isOptions(options);
  if (!isRecord) throw badWork(queue, `the options must be an object, not ${describeInvalid(options)}`);
  const [unknown] = unknownFields("the options object", options, known);
  if (unknown !== undefined) throw badWork(queue, unknown);
  const { tx } = options;
  if (tx !== undefined && typeof (tx as Transaction | null)?.onCommit !== "function")
    throw badWork(queue, `tx must be a transaction, not ${describeInvalid(tx)}`);
};

/** @throws DURABLE_BAD_WORK */
const checkUniqueItem = (queue: string, item: UniqueItem): void => {
  const isItem: boolean = isOptions(item) && typeof item["uniqueKey"] === "string";
  if (!isItem || Object.keys(item).length > 1)
    throw badWork(queue, "the item must be an id, or an object with only the string `uniqueKey`");
};

const badFilter = (problem: string): FrameworkError =>
  new FrameworkError("DURABLE_BAD_FILTER", `durable: ${problem}`);
