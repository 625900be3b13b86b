import { eventError } from "../errors/event-error.ts";
import {
  type EventHandler,
  EventSubscription,
  type SubscribeOptions,
  type Subscription,
  type SubscriptionNeeds,
} from "./subscription.ts";

/** Maximum number of open subscriptions of a process. */
export const MAX_SUBSCRIPTIONS = 1000;

/** The open subscriptions of a store. */
export class Subscriptions {
  private readonly needs: SubscriptionNeeds;
  private readonly open = new Set<Subscription>();

  constructor(needs: SubscriptionNeeds) {
    this.needs = needs;
  }

  /** @throws EVENTS_TOO_MANY_SUBSCRIPTIONS, EVENTS_BAD_READ, EVENTS_BAD_NAME, EVENTS_BAD_POSITION, CORE_BAD_CONFIG for the retry policy */
  add(options: SubscribeOptions, handler: EventHandler): Subscription {
    if (this.open.size >= MAX_SUBSCRIPTIONS)
      throw eventError(
        "EVENTS_TOO_MANY_SUBSCRIPTIONS",
        `${MAX_SUBSCRIPTIONS} subscriptions are open in this process; stop some, or share one`,
      );
    const subscription = new EventSubscription(this.needs, options, handler);
    this.open.add(subscription);
    const remove = (): void => void this.open.delete(subscription);
    subscription.done.then(remove, remove);
    return subscription;
  }

  /** Stops all subscriptions; resolves when the running handlers have finished, at the latest when the deadline aborts. */
  async stop(deadline?: AbortSignal): Promise<void> {
    const stopped = Promise.all([...this.open].map((each) => each.stop())).then(() => {});
    if (deadline === undefined) return await stopped;
    const { promise, resolve } = Promise.withResolvers<void>();
    const onDeadline = (): void => resolve();
    deadline.addEventListener("abort", onDeadline, { once: true });
    if (deadline.aborted) onDeadline();
    await Promise.race([stopped, promise]);
    deadline.removeEventListener("abort", onDeadline);
  }
}
