import { FrameworkError } from "../../errors/framework-error.ts";
import type { Logger } from "../../log/logger.ts";
import { PendingCalls } from "./pending-calls.ts";
import { isStateMessage, type PrimaryLink, type PrimaryMessage, type WorkerMessage } from "./primary-link.ts";
import { type Schedule, systemSchedule } from "../in-process/schedule.ts";
import type { Json, SharedState } from "../shared-state.ts";
import { checkPermits } from "../permits/permit-bounds.ts";
import { checkTallies } from "../in-process/tally-table.ts";
import { checkAddition, checkKey, checkTtl, toText } from "../state-bounds.ts";
import { Subscriptions } from "../in-process/subscriptions.ts";

/** Bounds of a worker's view of the state. */
export interface PrimaryStateOptions {
  /** Milliseconds to wait for the primary's answer; twice as long for `publish`, which waits for subscribers. @default 1000 */
  readonly timeoutMs?: number;
  /** Most calls that may wait for an answer at one time. @default 10000 */
  readonly maxOutstanding?: number;
  /** Timers. @default the runtime's, which do not keep the process alive */
  readonly schedule?: Schedule;
  /** Where failures of subscribers go. @default console */
  readonly log?: Pick<Logger, "error">;
}

/**
 * Shared state as a worker sees it: every call asks the primary process.
 *
 * @throws CORE_SHARED_STATE_UNAVAILABLE from every call while the link is closed, when the answer takes too long, or when
 * `maxOutstanding` calls wait already; what a call without an answer did is not known
 */
export const primaryState = (
  link: PrimaryLink,
  {
    timeoutMs = 1000,
    maxOutstanding = 10_000,
    schedule = systemSchedule,
    log = console,
  }: PrimaryStateOptions = {},
): SharedState => {
  const calls = new PendingCalls(link, { timeoutMs, maxOutstanding, schedule });
  const subscriptions = new Subscriptions({ limitMs: timeoutMs, schedule, log });
  listen(link, calls, subscriptions);
  return {
    async add(key, amount, options) {
      checkAddition(key, amount, options);
      const { ttlMs, max } = options;
      const bounded = max !== undefined && Number.isFinite(max); // JSON has no Infinity
      return calls.ask({ op: "add", key, amount, ttlMs, ...(bounded && { max }) });
    },
    async get(key) {
      checkKey(key);
      const text = await calls.ask({ op: "get", key });
      return text === null ? undefined : (JSON.parse(text) as Json);
    },
    async set(key, value, { ttlMs, ifAbsent = false }) {
      checkKey(key);
      checkTtl(ttlMs);
      return calls.ask({ op: "set", key, text: toText(value), ttlMs, ifAbsent });
    },
    async take(key, rule, ask) {
      checkPermits(key, rule, ask);
      const { kind, capacity, windowMs } = rule;
      const { spend, loan } = ask;
      return calls.ask({
        op: "take",
        key,
        kind,
        capacity,
        windowMs,
        spend,
        ...(loan !== undefined && { loan }),
      });
    },
    async tally(key, amounts) {
      checkTallies(key, amounts);
      await calls.ask({ op: "tally", key, amounts });
    },
    async totals(key) {
      checkKey(key);
      return calls.ask({ op: "totals", key });
    },
    async delete(key) {
      checkKey(key);
      return calls.ask({ op: "delete", key });
    },
    async publish(channel, message) {
      checkKey(channel, "channel");
      await calls.ask({ op: "publish", channel, text: toText(message) });
    },
    subscribe(channel, listener) {
      checkKey(channel, "channel");
      const isFirst = !subscriptions.has(channel);
      const remove = subscriptions.add(channel, listener);
      if (isFirst) tell(link, { "@framework": "shared-state", type: "subscribe", channel });
      return () => {
        if (remove() && !subscriptions.has(channel)) {
          tell(link, { "@framework": "shared-state", type: "unsubscribe", channel });
        }
      };
    },
  };
};

const listen = (link: PrimaryLink, calls: PendingCalls, subscriptions: Subscriptions): void => {
  const stop = link.onMessage((message) => {
    if (!isStateMessage(message)) return;
    const received = message as PrimaryMessage;
    if (received.type === "result") calls.answer(received.id, received.result);
    else if (received.type === "failure") {
      calls.fail(received.id, new FrameworkError(received.code, received.message));
    } else if (received.type === "message") {
      const { id, channel, text } = received;
      void subscriptions
        .emit(channel, text)
        .then(() => tell(link, { "@framework": "shared-state", type: "received", id }));
    }
  });
  link.onClose(() => {
    stop();
    calls.close();
  });
};

const tell = (link: PrimaryLink, message: WorkerMessage): void => {
  try {
    link.send(message);
  } catch {
    // A closed link has no subscriptions left to tell about; `onClose` ends what waits for an answer.
  }
};
