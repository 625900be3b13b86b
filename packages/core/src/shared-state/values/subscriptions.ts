import { FrameworkError } from "../../errors/framework-error.ts";
import type { Logger } from "../../log/logger.ts";
import { type Awaitable, isPromise } from "../../middleware/middleware.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Json, SubscribeOptions } from "./shared-values.ts";

/** Called with each message of a channel. */
export type Listener = (message: Json) => Awaitable<void>;

interface Subscription {
  readonly listener: Listener;
  readonly onMissed: SubscribeOptions["onMissed"] | undefined;
}

/** Default maximum of subscriptions: those of one process. */
export const MAX_SUBSCRIPTIONS = 100_000;

/** Dependencies and timeout of `Subscriptions`. */
export interface SubscriptionsOptions {
  /** Milliseconds after which a busy listener counts as done; `Infinity` for no limit. */
  readonly limitMs: number;
  /** Maximum number of subscriptions. @default 100000 */
  readonly maxSize?: number | undefined;
  /** Clock that times deadlines. */
  readonly clock: Pick<Clock, "after">;
  /** Destination of errors that listeners throw. */
  readonly log: Pick<Logger, "error">;
}

/** The subscribers of one process, by channel. */
export class Subscriptions {
  private readonly channels = new Map<string, Set<Subscription>>();
  private readonly options: SubscriptionsOptions;
  private size = 0;

  constructor(options: SubscriptionsOptions) {
    this.options = options;
  }

  /** Whether a channel has a listener. */
  has(channel: string): boolean {
    return this.channels.has(channel);
  }

  /** Adds a listener; the same function may be added twice. Returns a function that removes it and is true on its first call. @throws CORE_SHARED_STATE_FULL */
  add(channel: string, listener: Listener, { onMissed }: SubscribeOptions = {}): () => boolean {
    const { maxSize = MAX_SUBSCRIPTIONS } = this.options;
    if (this.size >= maxSize) {
      const message = `${maxSize} subscriptions exist already; is one created per request?`;
      throw new FrameworkError("CORE_SHARED_STATE_FULL", message);
    }
    const subscription: Subscription = { listener, onMissed };
    const subscribers = this.channels.get(channel) ?? new Set();
    this.channels.set(channel, subscribers.add(subscription));
    this.size++;
    return () => {
      if (!subscribers.delete(subscription)) return false;
      this.size--;
      if (subscribers.size === 0) this.channels.delete(channel);
      return true;
    };
  }

  /** Calls every listener of a channel with its own copy. Resolves when all are done or timed out; never rejects. */
  emit(channel: string, text: string): Promise<void> {
    const subscribers = this.channels.get(channel);
    if (subscribers === undefined) return Promise.resolve();
    const busy: Promise<void>[] = [];
    for (const { listener } of subscribers.values().toArray()) {
      const work = this.run(listener, channel, text);
      if (isPromise(work)) busy.push(work);
    }
    return busy.length === 0 ? Promise.resolve() : this.whenDone(busy);
  }

  /** Calls `onMissed` of every present subscription, unless an earlier call has removed it, and not of those that a call adds; an error is logged. */
  emitMissed(): void {
    const present = [...this.channels].flatMap(([channel, subscribers]) =>
      Array.from(subscribers, (subscription) => ({ channel, subscribers, subscription })),
    );
    for (const { channel, subscribers, subscription } of present) {
      if (!subscribers.has(subscription)) continue;
      try {
        subscription.onMissed?.();
      } catch (error) {
        this.options.log.error(`a subscriber of "${channel}" failed`, { error, channel });
      }
    }
  }

  private run(listener: Listener, channel: string, text: string): Awaitable<void> {
    const failed = (error: unknown): void =>
      this.options.log.error(`a subscriber of "${channel}" failed`, { error, channel });
    try {
      const work = listener(JSON.parse(text) as Json);
      return isPromise(work) ? work.then(undefined, failed) : undefined;
    } catch (error) {
      return failed(error);
    }
  }

  private async whenDone(busy: readonly Promise<void>[]): Promise<void> {
    if (this.options.limitMs === Infinity) return void (await Promise.all(busy));
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = this.options.clock.after(this.options.limitMs, resolve);
    const done = Promise.all(busy).then(cancel);
    await Promise.race([done, promise]);
  }
}
