import type { Awaitable } from "@framework/core";
import { type Clock, isPromise, type PermitStore, type Spent, systemClock } from "@framework/core/feature";
import type { Limit } from "./limit.ts";

/** The verdict on one request, and the rest of its key. */
export interface Quota {
  readonly allowed: boolean;
  /** Requests that would still be allowed at once. */
  readonly remaining: number;
  /** Milliseconds until the next permit; 0 while one is free. */
  readonly waitMs: number;
  /** Milliseconds until the whole quota is free again. */
  readonly resetMs: number;
}

/** Decides on requests by their keys; `null` when the store gave no answer. */
export interface QuotaSource {
  take(limit: Limit, key: string): Awaitable<Quota | null>;
  /** Calls to the store so far. */
  readonly calls: number;
  /** Keys that this process remembers, in addition to the store. */
  readonly keys: number;
  /** Gives leased permits back. */
  stop(): Awaitable<void>;
}

/** Options of `directQuotas`. */
export interface DirectQuotasOptions {
  readonly store: PermitStore;
  /** Milliseconds that a decision may take. */
  readonly timeoutMs: number;
  /** Receives every call that failed or was too late. */
  readonly failed: (error: unknown) => void;
  /** @default the runtime's */
  readonly clock?: Pick<Clock, "after">;
}

/** One atomic step of the store for each request: at once where the store is in this process. */
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
        resolve(unknown(new Error(`the store gave no answer within ${timeoutMs} ms`)));
      });
      const settle = (quota: Quota): void => {
        cancel();
        resolve(quota);
      };
      // A late answer changes nothing: its permit is spent, and the request had its verdict.
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
 * Calls `late` after `timeoutMs` milliseconds and one more turn of the event loop, unless the returned function is called before.
 *
 * A busy process runs its due timers before it reads answers that have arrived: the turn lets it read them.
 */
export const deadline = (clock: Pick<Clock, "after">, timeoutMs: number, late: () => void): (() => void) => {
  let cancel = clock.after(timeoutMs, () => {
    cancel = clock.after(0, late);
  });
  return () => cancel();
};
