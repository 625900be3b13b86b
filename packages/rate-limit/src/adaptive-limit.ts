import type { SharedValues } from "@framework/core/feature";
import { everySecond, processCpu, processMemory } from "./adaptive-probes.ts";
import { LoadSignals } from "./load-signals.ts";
import type { RateLimitConfig } from "./rate-limit-config.ts";

/** What a second of overload leaves of the limit. */
const CUT = 0.9;
/** What a clear second adds, as a part of the configured maximum; at least 1. */
const RAISE = 0.01;
/** Life of the lock that makes one worker the judge of a second: a little less, so that timers that run late do not skip one. */
const JUDGE_MS = 950;
/** Life of what workers tell each other; longer than any worker misses its turn. */
const TOLD_MS = 10_000;
/** Life of the current limit, for workers that start later. */
const LIMIT_MS = 3_600_000;

/**
 * A limit that follows the load: once per second it is cut while any worker is overloaded, or raised when all are clear and half of it was used.
 *
 * Every worker tells the others through the shared state whether it was overloaded and how much it admitted; the one that gets the lock of the second judges
 * and announces the new limit.
 */
export class AdaptiveLimit {
  readonly signals: LoadSignals = new LoadSignals();
  readonly now: () => number;
  readonly #config: Readonly<RateLimitConfig>;
  readonly #name: string;
  readonly #cpu: () => number;
  readonly #floor: number;
  #limit: number;
  #ends: (() => void)[] = [];

  constructor(config: Readonly<RateLimitConfig>, name: string) {
    this.#config = config;
    this.#name = `rate-limit:adaptive:${name}`;
    this.now = config.probes?.now ?? (() => performance.now());
    this.#cpu = config.probes?.cpu ?? processCpu(this.now);
    this.#floor = Math.min(config.minRequests, config.maxRequests);
    this.#limit = config.maxRequests;
  }

  /** Requests per window at this moment. */
  get capacity(): number {
    return Math.floor(this.#limit);
  }

  /** Begins to judge; `failed` hears of every second whose figures could not be shared. */
  async start(values: SharedValues, failed: (error: unknown) => void): Promise<void> {
    const accept = (limit: unknown): void => {
      if (typeof limit === "number") this.#limit = this.#bounded(limit);
    };
    this.#ends.push(values.subscribe(this.#name, accept));
    const each = this.#config.probes?.everySecond ?? everySecond;
    this.#ends.push(each(() => void this.#endSecond(values).catch(failed)));
    try {
      accept(await values.get(`${this.#name}:limit`));
    } catch (error) {
      failed(error);
    }
  }

  stop(): void {
    for (const end of this.#ends.splice(0)) end();
  }

  /** The longest that a wait may become if the limit is cut every second from now on, so that a promise made to a client holds. */
  longestWaitMs(waitMs: number): number {
    const { windowSecs } = this.#config;
    let missing = (waitMs * this.capacity) / (windowSecs * 1000); // permits
    let limit = this.#bounded(this.#limit * CUT);
    for (let waited = 0; ; waited += 1000) {
      const perMs = Math.floor(limit) / (windowSecs * 1000);
      if (missing <= perMs * 1000 || limit <= this.#floor) return waited + missing / perMs;
      missing -= perMs * 1000;
      limit = this.#bounded(limit * CUT);
    }
  }

  async #endSecond(values: SharedValues): Promise<void> {
    const { admitted, isOverloaded } = this.#observe();
    if (isOverloaded) await values.add(`${this.#name}:overloaded`, 1, { ttlMs: TOLD_MS });
    if (admitted > 0) await values.add(`${this.#name}:used`, admitted, { ttlMs: TOLD_MS });
    if (!(await values.set(`${this.#name}:judge`, 1, { ttlMs: JUDGE_MS, ifAbsent: true }))) return;
    const overloaded = await this.#collect(values, "overloaded");
    const used = await this.#collect(values, "used");
    const limit = this.#judged(overloaded > 0, used);
    if (limit === this.#limit) return;
    await values.set(`${this.#name}:limit`, limit, { ttlMs: LIMIT_MS });
    await values.publish(this.#name, limit);
  }

  #observe(): { readonly admitted: number; readonly isOverloaded: boolean } {
    const { probes = {}, ...limits } = this.#config;
    const { admitted, latencyMs, errorShare } = this.signals.endSecond();
    const isOverloaded = [
      this.#cpu() > limits.cpuThreshold,
      (probes.memory ?? processMemory)() > limits.memoryThreshold,
      (probes.latencyMs?.() ?? latencyMs) > limits.latencyThresholdMs,
      (probes.errorShare?.() ?? errorShare) > limits.errorThreshold,
    ].includes(true);
    return { admitted, isOverloaded };
  }

  /** What all workers told since the last second; what one tells meanwhile stays for the next. */
  async #collect(values: SharedValues, what: string): Promise<number> {
    const told = await values.get(`${this.#name}:${what}`);
    if (typeof told !== "number" || told === 0) return 0;
    await values.add(`${this.#name}:${what}`, -told, { ttlMs: TOLD_MS });
    return told;
  }

  #judged(isOverloaded: boolean, used: number): number {
    const { maxRequests, windowSecs } = this.#config;
    if (isOverloaded) return this.#bounded(this.#limit * CUT);
    const half = this.#limit / windowSecs / 2;
    return used < half || used === 0
      ? this.#limit
      : this.#bounded(this.#limit + Math.max(1, maxRequests * RAISE));
  }

  #bounded(limit: number): number {
    return Math.min(this.#config.maxRequests, Math.max(this.#floor, limit));
  }
}
