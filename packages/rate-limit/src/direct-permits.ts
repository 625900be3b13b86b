import type { Awaitable } from "@framework/core";
import { type Clock, isPromise, type PermitStore, type Spent, systemClock } from "@framework/core/feature";
import type { Limit } from "./limit.ts";
import { type Quota, type QuotaSource, quotaOf } from "./quota.ts";
import { deadline } from "./store-deadline.ts";

/** What asking the store directly needs. */
export interface DirectPermitsOptions {
  readonly store: PermitStore;
  /** Milliseconds that a decision may take. */
  readonly timeoutMs: number;
  /** Receives every call that failed or was too late. */
  readonly failed: (error: unknown) => void;
  /** @default the runtime's */
  readonly clock?: Pick<Clock, "after">;
}

/** One atomic step of the store for each request: at once where the store is in this process. */
export const directPermits = ({
  store,
  timeoutMs,
  failed,
  clock = systemClock,
}: DirectPermitsOptions): QuotaSource => {
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
