import type { Awaitable } from "@framework/core";
import { type Clock, isPromise, type PermitStore, type Spent, systemClock } from "@framework/core/feature";
import type { Limit } from "./limit.ts";

/** The verdict on one request, and the remaining quota of its key. */
export interface Quota {
  readonly allowed: boolean;
  /** Requests that are still allowed now. */
  readonly remaining: number;
  /** Milliseconds until the next permit; 0 while one is free. */
  readonly waitMs: number;
  /** Milliseconds until the whole quota is free again. */
  readonly resetMs: number;
}

/** Decides on requests by their keys; `null` without an answer of the store. */
export interface QuotaSource {
  take(limit: Limit, key: string): Awaitable<Quota | null>;
  /** Number of calls to the store. */
  readonly calls: number;
  /** Number of keys in this process, in addition to the store's. */
  readonly keys: number;
  /** Returns leased permits to the store. */
  stop(): Awaitable<void>;
}

/** Options of `directQuotas`. */
export interface DirectQuotasOptions {
  readonly store: PermitStore;
  /** Timeout of a decision in milliseconds. */
  readonly timeoutMs: number;
  /** Receives the error of every failed or late call. */
  readonly failed: (error: unknown) => void;
  /** @default the runtime's clock */
  readonly clock?: Pick<Clock, "after">;
}

/** Decides each request by one atomic call of the store; synchronous with a store in this process. */
export const directQuotas = ({
  store,
  timeoutMs,
  failed,
  clock = systemClock,
}: DirectQuotasOptions): QuotaSource => {
  let calls = 0;
  const unknown = (error: unknown): null => {
    failed(error);
    return null;
  };
  const inTime = (answer: Promise<Spent>): Promise<Quota | null> =>
    new Promise((resolve) => {
      let isLate = false;
      const cancel = deadline(clock, timeoutMs, () => {
        isLate = true;
        resolve(unknown(new Error(`the store did not answer within ${timeoutMs} ms`)));
      });
      const settle = (quota: Quota): void => {
        cancel();
        resolve(quota);
      };
      // A late answer is ignored: its permit is spent, and the request has its verdict.
      answer.then(quotaOf).then(settle, (error: unknown) => {
        if (isLate) return;
        cancel();
        resolve(unknown(error));
      });
    });
  return {
    take(limit: Limit, key: string): Awaitable<Quota | null> {
      calls++;
      try {
        const permits = store.take(key, limit.rule, ONE);
        return isPromise(permits) ? inTime(permits) : quotaOf(permits);
      } catch (error) {
        return unknown(error);
      }
    },
    get calls() {
      return calls;
    },
    keys: 0,
    stop() {},
  };
};

const ONE = Object.freeze({ spend: 1 });

const quotaOf = ({ spent, free, waitMs, resetMs }: Spent): Quota => ({
  allowed: spent > 0,
  remaining: free,
  waitMs,
  resetMs,
});

/**
 * Calls `late` after `timeoutMs` milliseconds and one more event loop iteration. Returns a function that cancels it.
 *
 * A busy process runs due timers before it reads received answers; the extra iteration lets it read them.
 */
export const deadline = (clock: Pick<Clock, "after">, timeoutMs: number, late: () => void): (() => void) => {
  let cancel = clock.after(timeoutMs, () => {
    cancel = clock.after(0, late);
  });
  return () => cancel();
};
