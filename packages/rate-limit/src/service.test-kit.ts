import type { SharedState } from "@framework/core/feature";
import type { VirtualClock } from "@framework/core/testing";
import { LeasedPermits } from "./leased-permits.ts";
import { Limit } from "./limit.ts";
import { cluster } from "./limited-app.test-kit.ts";
import type { Quota } from "./quota.ts";
import { RateLimitConfig } from "./rate-limit-config.ts";

export type Algorithm = "token_bucket" | "sliding_window";

interface Worker {
  readonly permits: LeasedPermits;
  readonly die: () => void;
}

export interface Service {
  readonly clock: VirtualClock;
  /** The primary's own state. */
  readonly state: SharedState;
  readonly limit: Limit;
  readonly running: readonly Worker[];
  /** When each request that was let through was so. */
  readonly admitted: readonly number[];
  readonly outcomes: readonly (Quota | null)[];
  readonly errors: readonly unknown[];
  readonly ask: (worker: number, key?: string) => Promise<Quota | null>;
  /** Asks at one worker after the other's answer; tells how many were let through. */
  readonly askMany: (worker: number, count: number) => Promise<number>;
  /** Kills a worker and starts another in its place. */
  readonly replace: (worker: number) => void;
  /** Calls to the store so far. */
  readonly calls: () => number;
}

export interface ServiceOptions {
  readonly algorithm?: Algorithm;
  readonly workers?: number;
  readonly maxKeys?: number;
  readonly wrap?: (state: SharedState, worker: number) => SharedState;
}

/** Several workers over one primary, all on a virtual clock, and a limit that they share. */
export const service = (
  maxRequests: number,
  windowSecs: number,
  { algorithm = "sliding_window", workers = 4, maxKeys = 100, wrap = (state) => state }: ServiceOptions = {},
): Service => {
  const { clock, state, join } = cluster();
  const limit = new Limit("default", RateLimitConfig.of({ algorithm, maxRequests, windowSecs }));
  const errors: unknown[] = [];
  let serial = 0;
  const start = (): Worker => {
    const { shared, die } = join();
    const options = { workers, maxKeys, clock, timeoutMs: 50 };
    const failed = (error: unknown) => void errors.push(error);
    const permits = new LeasedPermits({
      shared: wrap(shared, serial),
      id: `worker ${serial++}`,
      failed,
      ...options,
    });
    return { permits, die };
  };
  const running = Array.from({ length: workers }, start);
  const admitted: number[] = [];
  const outcomes: (Quota | null)[] = [];
  const ask = async (worker: number, key = "client"): Promise<Quota | null> => {
    const quota = await running[worker]?.permits.take(limit, key);
    if (quota?.allowed === true) admitted.push(clock.now());
    outcomes.push(quota ?? null);
    return quota ?? null;
  };
  const askMany = async (worker: number, count: number): Promise<number> => {
    const before = admitted.length;
    for (let call = 0; call < count; call++) await ask(worker);
    return admitted.length - before;
  };
  const replace = (worker: number): void => {
    running[worker]?.die();
    running[worker] = start();
  };
  const calls = (): number => running.reduce((sum, { permits }) => sum + permits.calls, 0);
  return { clock, state, limit, running, admitted, outcomes, errors, ask, askMany, replace, calls };
};
