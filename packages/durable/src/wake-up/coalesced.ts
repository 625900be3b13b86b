import type { Clock } from "@framework/core/feature";

/** Options of coalesced sends. */
export interface CoalescedOptions {
  readonly clock: Clock;
  /** Least time between two sends of one channel, in milliseconds. */
  readonly everyMs: number;
  /** Sends; a failure is lost, because receivers also poll. */
  readonly send: (channel: string) => Promise<unknown>;
}

interface Pending {
  /** When it may be sent again. */
  freeAt: number;
  isWaiting: boolean;
  isSending: boolean;
}

/** Channels are named by the program; above this, forgetting them only sends more often. */
const MAX_CHANNELS = 10_000;

/** Sends at once, and then at most once per period and channel, never two of a channel at the same time. */
export class Coalesced {
  private readonly options: CoalescedOptions;
  private readonly channels = new Map<string, Pending>();
  private hasEnded = false;

  constructor(options: CoalescedOptions) {
    this.options = options;
  }

  send(channel: string): void {
    const pending = this.pendingOf(channel);
    if (pending.isWaiting || this.hasEnded) return;
    const { clock } = this.options;
    const waitMs = pending.freeAt - clock.now();
    if (waitMs <= 0 && !pending.isSending) return void this.sendNow(channel, pending);
    pending.isWaiting = true;
    if (!pending.isSending) clock.after(waitMs, () => this.sendNow(channel, pending));
  }

  /** Drops what waits. */
  end(): void {
    this.hasEnded = true;
  }

  private async sendNow(channel: string, pending: Pending): Promise<void> {
    if (this.hasEnded) return;
    const { clock, everyMs, send } = this.options;
    pending.isWaiting = false;
    pending.isSending = true;
    pending.freeAt = clock.now() + everyMs;
    await send(channel).catch(() => {});
    pending.isSending = false;
    if (pending.isWaiting) {
      clock.after(Math.max(0, pending.freeAt - clock.now()), () => this.sendNow(channel, pending));
    }
  }

  private pendingOf(channel: string): Pending {
    const known = this.channels.get(channel);
    if (known !== undefined) return known;
    if (this.channels.size >= MAX_CHANNELS) this.channels.clear();
    const pending = { freeAt: 0, isWaiting: false, isSending: false };
    this.channels.set(channel, pending);
    return pending;
  }
}
