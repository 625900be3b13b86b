import type { Awaitable } from "@framework/core";
import {
  type Clock,
  isPromise,
  type PermitStore,
  type SpendResult,
  systemClock,
} from "@framework/core/feature";
import type { Debt, Debts } from "./debts.ts";
import type { Limit } from "./limit.ts";

/** The decision on one request, and the remaining quota of its key. */
export interface Quota {
  readonly allowed: boolean;
  /** Number of requests that are allowed now. */
  readonly remaining: number;
  /** Milliseconds until the next permit; 0 while one is free. */
  readonly waitMs: number;
  /** Milliseconds until the whole quota is free again. */
  readonly resetMs: number;
}

/** Decides on requests by their keys. */
export interface QuotaSource {
  /** Decides on a request; `null` if the store failed or timed out. */
  take(limit: Limit, key: string): Awaitable<Quota | null>;
  /** Number of calls to the store. */
  readonly calls: number;
  /** Number of keys in this process, in addition to the store's. */
  readonly keys: number;
  /** Returns leased permits to the store, until `deadline` aborts. */
  stop(deadline?: AbortSignal): Awaitable<void>;
}

/** Options of `directQuotas`. */
export interface DirectQuotasOptions {
  readonly store: PermitStore;
  /** Timeout of a decision in milliseconds; `null` for the primary process, which may be busy but is always reachable. */
  readonly timeoutMs: number | null;
  /** Requests that were admitted without the store; each call charges the requests of its key. */
  readonly debts: Debts;
  /** Called with the error of every failed or timed-out call. */
  readonly onError: (error: unknown) => void;
  /** @default the runtime's clock */
  readonly clock?: Pick<Clock, "after">;
}

/** Decides each request by one atomic call of the store; synchronous with a store in this process. */
export const directQuotas = ({
  store,
  timeoutMs,
  debts,
  onError,
  clock = systemClock,
}: DirectQuotasOptions): QuotaSource => {
  let calls = 0;
  const toQuota = (key: string, debt: Debt | null, spent: SpendResult): Quota =>
    quotaOf(spent, debts.settle(key, debt, spent.spent) > 0);
  const recordError = (key: string, debt: Debt | null, error: unknown): null => {
    debts.settle(key, debt, 0);
    onError(error);
    return null;
  };
  const withTimeout = (key: string, debt: Debt | null, result: Promise<SpendResult>): Promise<Quota | null> =>
    new Promise((resolve) => {
      let hasTimedOut = false;
      const cancel = deadline(clock, timeoutMs, () => {
        hasTimedOut = true;
        resolve(recordError(key, debt, new Error(`the store did not answer within ${timeoutMs} ms`)));
      });
      const settle = (spent: SpendResult): void => {
        cancel();
        if (hasTimedOut) debts.pay(key, spent.spent);
        else resolve(toQuota(key, debt, spent));
      };
      result.then(settle).catch((error: unknown) => {
        cancel();
        if (!hasTimedOut) resolve(recordError(key, debt, error));
      });
    });
  return {
    take(limit: Limit, key: string): Awaitable<Quota | null> {
      calls++;
      const debt = debts.claim(key);
      try {
        const spent = store.take(key, limit.rule, debt === null ? one : { spend: debt.count + 1 });
        return isPromise(spent) ? withTimeout(key, debt, spent) : toQuota(key, debt, spent);
      } catch (error) {
        return recordError(key, debt, error);
      }
    },
    get calls() {
      return calls;
    },
    keys: 0,
    stop() {},
  };
};

const one = Object.freeze({ spend: 1 });

/** Returns the quota of a request, with the decision on it. */
export const quotaOf = ({ free, waitMs, resetMs }: SpendResult, allowed: boolean): Quota => ({
  allowed,
  remaining: free,
  waitMs,
  resetMs,
});

/**
 * Calls `onTimeout` after `timeoutMs` milliseconds and one more event loop iteration; never for `null`. Returns a function that cancels it.
 *
 * A busy process runs due timers before it reads data from sockets; the extra iteration lets it read a result that has already arrived.
 */
export const deadline = (
  clock: Pick<Clock, "after">,
  timeoutMs: number | null,
  onTimeout: () => void,
): (() => void) => {
  if (timeoutMs === null) return () => {};
  let cancel = clock.after(timeoutMs, () => {
    cancel = clock.after(0, onTimeout);
  });
  return () => cancel();
};
