import type { SharedState } from "@framework/core/feature";
import type { VirtualClock } from "@framework/core/testing";
import { Debts } from "./debts.ts";
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
  /** State of the primary process. */
  readonly state: SharedState;
  readonly limit: Limit;
  readonly running: readonly Worker[];
  /** Times of the admitted requests. */
  readonly admitted: readonly number[];
  readonly outcomes: readonly (Quota | null)[];
  readonly errors: readonly unknown[];
  readonly send: (worker: number, key?: string) => Promise<Quota | null>;
  /** Sends requests to a worker sequentially. Returns the number admitted. */
  readonly sendAll: (worker: number, count: number) => Promise<number>;
  /** Kills a worker and starts a replacement. */
  readonly replace: (worker: number) => void;
  /** Number of calls to the store. */
  readonly calls: () => number;
}

export interface ServiceOptions {
  readonly algorithm?: Algorithm;
  readonly workers?: number;
  readonly maxKeys?: number;
  readonly wrap?: (state: SharedState, worker: number) => SharedState;
  /** Timeout of a remote store; `null` for the primary process. @default null */
  readonly timeoutMs?: number | null;
}

/** Creates several workers of one primary with a shared limit, on a virtual clock. */
export const service = (
  maxRequests: number,
  windowSecs: number,
  {
    algorithm = "sliding_window",
    workers = 4,
    maxKeys = 100,
    wrap = (state) => state,
    timeoutMs = null,
  }: ServiceOptions = {},
): Service => {
  const { clock, state, join } = cluster();
  const limit = new Limit("default", RateLimitConfig.of({ algorithm, maxRequests, windowSecs }));
  const errors: unknown[] = [];
  let serial = 0;
  const start = (): Worker => {
    const { shared, die } = join();
    const options = { workers, maxKeys, clock, timeoutMs, debts: new Debts({ clock }) };
    const onError = (error: unknown) => void errors.push(error);
    const permits = new LeasedPermits({
      shared: wrap(shared, serial),
      id: `worker ${serial++}`,
      onError,
      ...options,
    });
    return { permits, die };
  };
  const running = Array.from({ length: workers }, start);
  const admitted: number[] = [];
  const outcomes: (Quota | null)[] = [];
  const send = async (worker: number, key = "client"): Promise<Quota | null> => {
    const quota = await running[worker]?.permits.take(limit, key);
    if (quota?.allowed === true) admitted.push(clock.now());
    outcomes.push(quota ?? null);
    return quota ?? null;
  };
  const sendAll = async (worker: number, count: number): Promise<number> => {
    const before = admitted.length;
    for (let call = 0; call < count; call++) await send(worker);
    return admitted.length - before;
  };
  const replace = (worker: number): void => {
    running[worker]?.die();
    running[worker] = start();
  };
  const calls = (): number => running.reduce((sum, { permits }) => sum + permits.calls, 0);
  return { clock, state, limit, running, admitted, outcomes, errors, send, sendAll, replace, calls };
};
