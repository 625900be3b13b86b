import { MAX_HELD_BYTES } from "../limits.ts";
import type { Delivery } from "../port/delivery.ts";
import type { ConsumerState, Sink } from "../port/sink.ts";
import { Entry } from "./entry.ts";
import { PartitionWindow } from "./partition-window.ts";

/** Dependencies of `Intake`. */
export interface IntakeParts {
  readonly prefetch: number;
  readonly isCumulative: boolean;
  /** Returns the lane of a delivery; `null` for none. */
  readonly laneOf: (delivery: Delivery) => string | null;
  /** Called with each new entry. */
  readonly onAccepted: (entry: Entry) => void;
  /** Called after a batch was accepted. */
  readonly onDelivered: () => void;
  /** Called with entries that the broker gave to another consumer. */
  readonly onLost: (entries: readonly Entry[]) => void;
  readonly onState: (state: ConsumerState, reason: string | null) => void;
  /** Called when handlers must not start, and when they may start again. */
  readonly onSuspended: (isSuspended: boolean) => void;
}

interface Waiter {
  readonly partition: string | null;
  readonly resolve: () => void;
}

/** Accepts the deliveries of a consumer and tracks the unsettled ones. */
export class Intake implements Sink {
  /** Windows by partition, with cumulative settlement. */
  readonly windows: Map<string, PartitionWindow> = new Map();
  private readonly parts: IntakeParts;
  /** Entries that are neither settled nor finished in their window. */
  private readonly held = new Map<Delivery, Entry>();
  /** Number of held entries whose settlement is in progress. */
  private ending = 0;
  private heldBytes = 0;
  private waiters: Waiter[] = [];
  private isOpen = true;

  constructor(parts: IntakeParts) {
    this.parts = parts;
  }

  /** Number of entries that are neither settled nor finished in their window. */
  get size(): number {
    return this.held.size;
  }

  entries(): readonly Entry[] {
    return Array.from(this.held.values());
  }

  has(delivery: Delivery): boolean {
    return this.held.has(delivery);
  }

  entryOf(delivery: Delivery): Entry | null {
    return this.held.get(delivery) ?? null;
  }

  room(partition: string | null): number {
    if (!this.isOpen || this.heldBytes >= MAX_HELD_BYTES) return 0;
    const { isCumulative, prefetch } = this.parts;
    if (!isCumulative) return this.freeRoom(prefetch);
    return Math.max(0, prefetch - (this.windows.get(partition ?? "")?.size ?? 0));
  }

  async whenRoom(partition: string | null, signal: AbortSignal): Promise<void> {
    if (signal.aborted || this.room(partition) > 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiter = { partition, resolve };
    const end = (): void => {
      this.waiters = this.waiters.filter((each) => each !== waiter);
      resolve();
    };
    this.waiters.push(waiter);
    signal.addEventListener("abort", end, { once: true });
    await promise;
    signal.removeEventListener("abort", end);
  }

  deliver(deliveries: readonly Delivery[]): void {
    for (const delivery of deliveries) this.accept(delivery);
    this.parts.onDelivered();
  }

  lost(deliveries: readonly Delivery[]): void {
    this.drop(deliveries.flatMap((delivery) => this.held.get(delivery) ?? []));
  }

  revoked(partitions: readonly string[]): void {
    const revokedPartitions = new Set(partitions);
    for (const partition of partitions) this.windows.delete(partition);
    this.drop(this.entries().filter(({ delivery }) => revokedPartitions.has(delivery.partition ?? "")));
  }

  isAlive(delivery: Delivery): boolean {
    const entry = this.held.get(delivery);
    return entry !== undefined && !entry.isStuck;
  }

  isPartitionAlive(partition: string): boolean {
    return (
      this.windows
        .get(partition)
        ?.unfinished()
        .every(({ isStuck }) => !isStuck) ?? true
    );
  }

  suspend(): void {
    this.parts.onSuspended(true);
  }

  proceed(): void {
    this.parts.onSuspended(false);
  }

  state(state: ConsumerState, reason?: string): void {
    this.parts.onState(state, reason ?? null);
  }

  /** Reports no room from now on, and ends the waits for room. */
  close(): void {
    this.isOpen = false;
    for (const { resolve } of this.waiters.splice(0)) resolve();
  }

  /** Frees the room of an entry whose settlement is in progress, so that the broker can deliver the next one in the same round trip. */
  markEnding(entry: Entry): void {
    if (entry.isEnding || this.parts.isCumulative) return;
    entry.isEnding = true;
    this.ending++;
    if (this.waiters.length > 0) this.wake();
  }

  /** Forgets an entry that was settled, or is finished in its window. */
  release(entry: Entry): void {
    if (this.held.get(entry.delivery) !== entry) return;
    this.held.delete(entry.delivery);
    this.heldBytes -= entry.heldBytes;
    if (entry.isEnding) this.ending--;
    if (this.waiters.length > 0) this.wake();
  }

  /** Returns the room, without counting entries in settlement; at most twice `prefetch` are held in total. */
  private freeRoom(prefetch: number): number {
    const held = this.held.size;
    return Math.max(0, Math.min(prefetch - held + this.ending, 2 * prefetch - held));
  }

  /** Removes lost entries without settling them. */
  private drop(entries: readonly Entry[]): void {
    for (const entry of entries) this.release(entry);
    if (entries.length > 0) this.parts.onLost(entries);
    this.wake();
  }

  private accept(delivery: Delivery): void {
    const { isCumulative, laneOf, onAccepted } = this.parts;
    if (isCumulative && !this.updateWindow(delivery)) return;
    const entry = new Entry(delivery, laneOf(delivery));
    this.held.set(delivery, entry);
    this.heldBytes += entry.heldBytes;
    if (isCumulative) this.windowOf(delivery).add(entry);
    onAccepted(entry);
  }

  /** Returns whether a delivery of a log is new to its window. A repeated offset replaces its earlier delivery. */
  private updateWindow(delivery: Delivery): boolean {
    const found = this.windowOf(delivery).lookUp(delivery);
    if (found === "new" || found === "finished") return found === "new";
    if (this.held.delete(found.delivery)) this.held.set(delivery, found);
    found.delivery = delivery;
    return false;
  }

  private windowOf({ partition }: Delivery): PartitionWindow {
    const name = partition ?? "";
    const known = this.windows.get(name);
    if (known !== undefined) return known;
    const window = new PartitionWindow();
    this.windows.set(name, window);
    return window;
  }

  private wake(): void {
    const free = this.waiters.filter(({ partition }) => this.room(partition) > 0);
    if (free.length === 0) return;
    this.waiters = this.waiters.filter((waiter) => !free.includes(waiter));
    for (const { resolve } of free) resolve();
  }
}
