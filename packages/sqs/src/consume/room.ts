import type { Sink } from "@framework/messaging/adapter";

/** Dependencies of `Room`. */
export interface RoomParts {
  readonly sink: Sink;
  /** Maximum number of messages that are held or requested. */
  readonly max: number;
  /** Returns the number of held messages. */
  readonly held: () => number;
}

/** The free capacity of a receiver, without the reservations of concurrent requests. */
export class Room {
  private readonly parts: RoomParts;
  private reserved = 0;
  private waiters: (() => void)[] = [];

  constructor(parts: RoomParts) {
    this.parts = parts;
  }

  get free(): number {
    const { sink, max, held } = this.parts;
    return Math.max(0, Math.min(sink.room(null), max - held()) - this.reserved);
  }

  /** Reserves room for at most `max` messages. Returns the reserved number. */
  reserve(max: number): number {
    const count = Math.min(max, this.free);
    this.reserved += count;
    return count;
  }

  /** Ends a reservation, after the response or a failure. */
  endReservation(count: number): void {
    this.reserved -= count;
    this.resolveWaits();
  }

  /** Resolves the waits of `whenFree`. Called after a reservation has ended or fewer messages are held. */
  resolveWaits(): void {
    for (const resolve of this.waiters.splice(0)) resolve();
  }

  /** Resolves when there may be room, or when the signal aborts. */
  async whenFree(signal: AbortSignal): Promise<void> {
    const { sink } = this.parts;
    if (sink.room(null) === 0) return await sink.whenRoom(null, signal);
    if (signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.waiters.push(resolve);
    const end = (): void => resolve();
    signal.addEventListener("abort", end, { once: true });
    await promise;
    signal.removeEventListener("abort", end);
  }
}
