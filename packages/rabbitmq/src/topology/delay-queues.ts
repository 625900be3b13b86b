import type { Clock } from "@framework/core/feature";
import type { Link } from "../connection/link.ts";
import { withChannel } from "../connection/with-channel.ts";
import { quorumQueueArguments } from "./declarations.ts";
import { delayQueue } from "./names.ts";

/** Exchange or queue of a message. */
export interface MessageTarget {
  /** An exchange, or "" for the queue that `routingKey` names. */
  readonly exchange: string;
  readonly routingKey: string;
}

/** Time for which the server keeps an unused delay queue after its last message was due; up to `REDECLARE_MS` less, because only declarations count as uses. */
const UNUSED_MS = 300_000;
/** Minimum interval between declarations of a queue. */
const REDECLARE_MS = 60_000;
/** Maximum number of remembered queues. */
const MAX_QUEUES = 10_000;

/** Delay queues: one for each target and rounded delay, because a queue expires its messages in order. */
export class DelayQueues {
  private readonly clock: Clock;
  private declared = new Map<string, number>();
  /** Queues that confirmed nothing in time. */
  private avoided = new Set<string>();

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** Returns the queue for a delay if it was declared in the last minute; otherwise `null`. */
  known(to: MessageTarget, delayMs: number): MessageTarget | null {
    const name = nameOf(to, this.roundedDelay(to, delayMs));
    return this.clock.now() - (this.declared.get(name) ?? -REDECLARE_MS) < REDECLARE_MS
      ? { exchange: "", routingKey: name }
      : null;
  }

  /** Avoids a queue that confirms nothing: later messages use another queue, whose delay is 1 ms longer. */
  avoid({ exchange, routingKey }: MessageTarget): void {
    if (exchange !== "" || !this.declared.has(routingKey)) return;
    if (this.avoided.size >= MAX_QUEUES) this.avoided = new Set();
    this.avoided.add(routingKey);
  }

  /** Declares the queue for a delay. Rejects if the server refuses it. */
  async declare(link: Link, { exchange, routingKey }: MessageTarget, delayMs: number): Promise<void> {
    const ms = this.roundedDelay({ exchange, routingKey }, delayMs);
    const name = nameOf({ exchange, routingKey }, ms);
    const args = {
      ...quorumQueueArguments({ exchange, routingKey }),
      "x-message-ttl": ms,
      "x-expires": ms + UNUSED_MS,
    };
    const now = this.clock.now();
    await withChannel(link, (channel) => channel.assertQueue(name, { durable: true, arguments: args }));
    if (this.declared.size >= MAX_QUEUES) this.declared = new Map();
    this.declared.set(name, now);
  }

  /** Returns the rounded delay, 1 ms longer for each avoided queue. */
  private roundedDelay(to: MessageTarget, delayMs: number): number {
    let ms = roundUp(delayMs);
    while (this.avoided.size > 0 && this.avoided.has(nameOf(to, ms))) ms++;
    return ms;
  }

  /** Forgets declared queues, because the server may have lost them. */
  forget(): void {
    this.declared = new Map();
  }
}

const nameOf = ({ exchange, routingKey }: MessageTarget, ms: number): string =>
  delayQueue(exchange === "" ? routingKey : exchange, ms);

/** Rounds a delay up by at most 10 %, or to 10 ms, so that random delays share a few queues: 5,123 ms becomes 5,500 ms. */
export const roundUp = (ms: number): number => {
  if (ms <= 10) return 10;
  const unit = 10 ** (Math.floor(Math.log10(ms)) - 1);
  const leading = ms / unit; // 10 to 99
  const step = leading < 20 ? 1 : leading < 50 ? 2 : 5;
  return Math.ceil(leading / step - 1e-9) * step * unit;
};
