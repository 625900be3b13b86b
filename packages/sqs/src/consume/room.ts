import type { Sink } from "@framework/messaging/adapter";

/** The room of a sink, shared by requests that run at the same time: together they ask for no more. */
export class Room {
  private readonly sink: Sink;
  private reserved = 0;
  private waiters: (() => void)[] = [];

  constructor(sink: Sink) {
    this.sink = sink;
  }

  get free(): number {
    return Math.max(0, this.sink.room(null) - this.reserved);
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
    for (const resolve of this.waiters.splice(0)) resolve();
  }

  /** Resolves when there may be room, or when the signal aborts. */
  async whenFree(signal: AbortSignal): Promise<void> {
    if (this.reserved === 0) return await this.sink.whenRoom(null, signal);
    if (signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.waiters.push(resolve);
    const end = (): void => resolve();
    signal.addEventListener("abort", end, { once: true });
    await promise;
    signal.removeEventListener("abort", end);
  }
}
