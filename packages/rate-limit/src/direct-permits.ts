import type { Awaitable } from "@framework/core";
import { isPromise } from "@framework/core/feature";
import type { Limit } from "./limit.ts";
import { type Quota, type QuotaSource, quotaOf } from "./quota.ts";
import type { PermitAnswer, RateLimitStore } from "./rate-limit-store.ts";
import { deadline, type Schedule, systemSchedule } from "./store-deadline.ts";

/** What asking the store directly needs. */
export interface DirectPermitsOptions {
  readonly store: RateLimitStore;
  /** Milliseconds that a decision may take. */
  readonly timeoutMs: number;
  /** Hears of every call that failed or came too late. */
  readonly failed: (error: unknown) => void;
  readonly schedule?: Schedule;
}

/** One atomic step of the store for each request: at once where the store is in this process. */
export const directPermits = ({
  store,
  timeoutMs,
  failed,
  schedule = systemSchedule,
}: DirectPermitsOptions): QuotaSource => {
  let calls = 0;
  const unknown = (error: unknown): null => {
    failed(error);
    return null;
  };
  const inTime = (answer: Promise<PermitAnswer>): Promise<Quota | null> =>
    new Promise((resolve) => {
      let isLate = false;
      const cancel = deadline(schedule, timeoutMs, () => {
        isLate = true;
        resolve(unknown(new Error(`the store gave no answer within ${timeoutMs} ms`)));
      });
      const settle = (quota: Quota): void => {
        cancel();
        resolve(quota);
      };
      // An answer that comes too late changes nothing: its permit is spent, and the request had its verdict.
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
