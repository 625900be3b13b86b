import type { Sink } from "@framework/messaging/adapter";

/** Whose room it is. */
export interface RoomParts {
  readonly sink: Sink;
  /** Most messages that are held or asked for. */
  readonly most: number;
  /** Number of messages that are held. */
  readonly held: () => number;
}

/** A share of the room of a sink. Requests that run at the same time ask for no more together. */
export class Room {
  private readonly parts: RoomParts;
  private reserved = 0;
  private waiters: (() => void)[] = [];

  constructor(parts: RoomParts) {
    this.parts = parts;
  }

  get free(): number {
    const { sink, most, held } = this.parts;
    return Math.max(0, Math.min(sink.room(null), most - held()) - this.reserved);
  }

  /** Takes room for at most `most` messages; returns for how many. */
  take(most: number): number {
    const taken = Math.min(most, this.free);
    this.reserved += taken;
    return taken;
  }

  /** Gives room back: its messages have arrived, or none came. */
  give(taken: number): void {
    this.reserved -= taken;
    this.changed();
  }

  /** Wakes who waits: fewer messages are held. */
  changed(): void {
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
