import { mistake } from "../errors/event-error.ts";
import {
  type EventHandler,
  EventSubscription,
  type SubscribeOptions,
  type Subscription,
  type SubscriptionNeeds,
} from "./subscription.ts";

/** Subscriptions that one process has at a time. */
export const MAX_SUBSCRIPTIONS = 1000;

/** The subscriptions of a store, which end with it. */
export class Subscriptions {
  private readonly needs: SubscriptionNeeds;
  private readonly open = new Set<Subscription>();

  constructor(needs: SubscriptionNeeds) {
    this.needs = needs;
  }

  /** @throws EVENTS_TOO_MANY_SUBSCRIPTIONS, EVENTS_BAD_READ, EVENTS_BAD_POSITION, CORE_BAD_CONFIG for the retry policy */
  add(options: SubscribeOptions, handler: EventHandler): Subscription {
    if (this.open.size >= MAX_SUBSCRIPTIONS)
      throw mistake(
        "EVENTS_TOO_MANY_SUBSCRIPTIONS",
        `${MAX_SUBSCRIPTIONS} subscriptions are open in this process; stop some, or share one`,
      );
    const subscription = new EventSubscription(this.needs, options, handler);
    this.open.add(subscription);
    const remove = (): void => void this.open.delete(subscription);
    subscription.done.then(remove, remove);
    return subscription;
  }

  /** Ends all, after the handlers that run; at the latest when the deadline aborts. */
  async stop(deadline?: AbortSignal): Promise<void> {
    const stopped = Promise.all([...this.open].map((each) => each.stop())).then(() => {});
    if (deadline === undefined) return await stopped;
    const { promise, resolve } = Promise.withResolvers<void>();
    const late = (): void => resolve();
    deadline.addEventListener("abort", late, { once: true });
    if (deadline.aborted) late();
    await Promise.race([stopped, promise]);
    deadline.removeEventListener("abort", late);
  }
}
