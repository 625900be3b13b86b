import { FrameworkError } from "../../errors/framework-error.ts";
import type { Logger } from "../../log/logger.ts";
import { PendingCalls } from "./pending-calls.ts";
import { isStateMessage, type PrimaryLink, type PrimaryMessage, type WorkerMessage } from "./primary-link.ts";
import { type Clock, systemClock } from "../../runtime/clock.ts";
import { checkPermits } from "../permits/permit-bounds.ts";
import type { Permits } from "../permits/permits.ts";
import type { SharedState } from "../shared-state.ts";
import { SharedStateUnavailableError, UNAVAILABLE } from "../unavailable-error.ts";
import {
  checkAddition,
  checkKey,
  checkPublication,
  checkRaise,
  checkTtl,
  toText,
} from "../values/state-bounds.ts";
import { checkPosition, checkTotals } from "../totals/total-table.ts";
import type { Totals } from "../totals/totals.ts";
import type { Json, SharedValues } from "../values/shared-values.ts";
import { Subscriptions } from "../values/subscriptions.ts";
import { withTimeout } from "../values/with-timeout.ts";

/** Bounds and dependencies of a worker's view of the state. */
export interface PrimaryStateOptions {
  /**
   * Timeout of a call in milliseconds. The channel to the primary loses no message, and its close fails all calls at once, so the timeout only has to detect a
   * primary that hangs; it must be longer than any pause of a busy primary. @default 30000
   */
  readonly timeoutMs?: number;
  /** Milliseconds after which a busy subscriber counts as done. @default 1000 */
  readonly subscriberMs?: number;
  /** Maximum number of pending calls. @default 10000 */
  readonly maxOutstanding?: number;
  /** Clock that times deadlines. @default the runtime's clock */
  readonly clock?: Pick<Clock, "after">;
  /** Logs errors of subscribers. @default console */
  readonly log?: Pick<Logger, "error">;
}

/**
 * Creates a worker's view of the shared state: every call is sent to the primary process.
 *
 * @throws CORE_SHARED_STATE_UNAVAILABLE from every call while the link is closed, at the timeout, or when `maxOutstanding` calls are pending; the
 * outcome of a call without a result is unknown
 */
export const primaryState = (
  link: PrimaryLink,
  {
    timeoutMs = 30_000,
    subscriberMs = 1000,
    maxOutstanding = 10_000,
    clock = systemClock,
    log = console,
  }: PrimaryStateOptions = {},
): SharedState => {
  const calls = new PendingCalls(link, { timeoutMs, maxOutstanding, clock });
  const subscriptions = new Subscriptions({ limitMs: subscriberMs, clock, log });
  listen(link, calls, subscriptions);
  return {
    values: valuesOf(link, calls, subscriptions, clock),
    permits: permitsOf(calls),
    totals: totalsOf(calls),
  };
};

const valuesOf = (
  link: PrimaryLink,
  calls: PendingCalls,
  subscriptions: Subscriptions,
  clock: Pick<Clock, "after">,
): SharedValues => ({
  isPersistent: false,
  async add(key, amount, options) {
    checkAddition(key, amount, options);
    const { ttlMs, max } = options;
    const bounded = max !== undefined && Number.isFinite(max); // JSON has no Infinity
    return calls.send({ op: "add", key, amount, ttlMs, ...(bounded && { max }) });
  },
  async raise(key, value, options) {
    checkRaise(key, value, options);
    const { ttlMs, group, maxKeys, moves = false } = options;
    return calls.send({ op: "raise", key, value, ttlMs, group, maxKeys, moves });
  },
  async get(key) {
    checkKey(key);
    const text = await calls.send({ op: "get", key });
    return text === null ? undefined : (JSON.parse(text) as Json);
  },
  async set(key, value, { ttlMs, ifAbsent = false }) {
    checkKey(key);
    checkTtl(ttlMs);
    return calls.send({ op: "set", key, text: toText(value), ttlMs, ifAbsent });
  },
  async delete(key) {
    checkKey(key);
    return calls.send({ op: "delete", key });
  },
  async publish(channel, message, options = {}) {
    checkPublication(channel, options);
    const published = calls.send({ op: "publish", channel, text: toText(message) }).then(() => true);
    return withTimeout(published, options.waitMs, clock, () => false);
  },
  subscribe(channel, listener) {
    checkKey(channel, "channel");
    const isFirst = !subscriptions.has(channel);
    const remove = subscriptions.add(channel, listener);
    if (isFirst) send(link, { "@framework": "shared-state", type: "subscribe", channel });
    return () => {
      if (remove() && !subscriptions.has(channel)) {
        send(link, { "@framework": "shared-state", type: "unsubscribe", channel });
      }
    };
  },
  isConnected: () => calls.isOpen,
});

const permitsOf = (calls: PendingCalls): Permits => ({
  async take(key, rule, request) {
    checkPermits(key, rule, request);
    const { kind, capacity, windowMs } = rule;
    const { spend, lease } = request;
    return calls.send({
      op: "take",
      key,
      kind,
      capacity,
      windowMs,
      spend,
      ...(lease !== undefined && { lease }),
    });
  },
});

const totalsOf = (calls: PendingCalls): Totals => ({
  async add(key, amounts) {
    checkTotals(key, amounts);
    await calls.send({ op: "addTotals", key, amounts });
  },
  async read(key, from = 0) {
    checkKey(key);
    checkPosition(from);
    return calls.send({ op: "readTotals", key, from });
  },
});

const listen = (link: PrimaryLink, calls: PendingCalls, subscriptions: Subscriptions): void => {
  const stop = link.onMessage((message) => {
    if (!isStateMessage(message)) return;
    const received = message as PrimaryMessage;
    if (received.type === "result") calls.resolve(received.id, received.result);
    else if (received.type === "failure") {
      calls.fail(received.id, failureOf(received));
    } else if (received.type === "message") {
      const { id, channel, text } = received;
      void subscriptions
        .emit(channel, text)
        .then(() => send(link, { "@framework": "shared-state", type: "received", id }));
    }
  });
  link.onClose(() => {
    stop();
    calls.close();
  });
};

const failureOf = ({ code, message }: { readonly code: string; readonly message: string }): FrameworkError =>
  code === UNAVAILABLE ? new SharedStateUnavailableError(message) : new FrameworkError(code, message);

const send = (link: PrimaryLink, message: WorkerMessage): void => {
  try {
    link.send(message);
  } catch {
    // A closed link has no subscriptions; `onClose` fails the pending calls.
  }
};
