import type { Clock } from "@framework/core/feature";

/** Options of `Coalesced`. */
export interface CoalescedOptions {
  readonly clock: Clock;
  /** Minimum time between two sends of one channel, in milliseconds. */
  readonly everyMs: number;
  /** Sends a message to a channel. Failures are ignored, because receivers also poll. */
  readonly send: (channel: string) => Promise<unknown>;
}

interface Pending {
  /** Earliest time of the next send. */
  freeAt: number;
  isWaiting: boolean;
  isSending: boolean;
}

/** Maximum number of remembered channels. When it is exceeded all are forgotten, which only causes extra sends. */
const MAX_CHANNELS = 10_000;

/** Sends immediately, and then at most once per period and channel; sends of one channel never overlap. */
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

  /** Drops pending sends. */
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
