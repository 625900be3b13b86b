import type { SharedValues } from "@framework/core/feature";
import { everySecond, processCpu, processMemory } from "./adaptive-probes.ts";
import { LoadSignals } from "./load-signals.ts";
import type { RateLimitConfig } from "./rate-limit-config.ts";

/** Factor of the limit after a second of overload. */
const CUT_FACTOR = 0.9;
/** Increase after a second without overload, as a fraction of the maximum; at least 1. */
const RAISE_FRACTION = 0.01;
/** TTL of the lock for one second's decision: below a second, so that a delayed timer does not skip a decision. */
const DECISION_MS = 950;
/** TTL of the workers' reports: they are kept while no worker decides for up to ten seconds. */
const REPORT_MS = 10_000;
/** TTL of the current limit, for workers that start later; an unchanged limit is stored again after half of it, and by a worker that has adopted it. */
const LIMIT_MS = 3_600_000;

/**
 * An adaptive limit: each second it is cut if any worker was overloaded, or raised if no worker was and at least half of the limit was used.
 *
 * Every worker reports overload and admissions to the shared state; the worker with the second's lock computes and publishes the new limit.
 */
export class AdaptiveLimit {
  readonly signals: LoadSignals;
  readonly now: () => number;
  private readonly config: Readonly<RateLimitConfig>;
  private readonly name: string;
  private readonly cpu: () => number;
  private readonly floor: number;
  private limit: number;
  /** Time from which this worker stores an unchanged limit again. */
  private storeAgainAt: number;
  private stops: (() => void)[] = [];

  constructor(config: Readonly<RateLimitConfig>, name: string) {
    this.config = config;
    this.signals = new LoadSignals(config.minSamples);
    this.name = `rate-limit:adaptive:${name}`;
    this.now = config.probes?.now ?? (() => performance.now());
    this.cpu = config.probes?.cpu ?? processCpu(this.now);
    this.floor = Math.min(config.minRequests, config.maxRequests);
    this.limit = config.maxRequests;
    this.storeAgainAt = this.now() + LIMIT_MS / 2;
  }

  /** Current maximum number of requests per window. */
  get capacity(): number {
    return Math.floor(this.limit);
  }

  /** Starts the adjustment. `onError` is called with each error of the shared state. */
  async start(values: SharedValues, onError: (error: unknown) => void): Promise<void> {
    const accept = (limit: unknown): void => {
      if (typeof limit === "number") this.limit = this.clamp(limit);
    };
    const read = async (): Promise<void> => {
      try {
        const stored = await values.get(`${this.name}:limit`);
        accept(stored);
        if (typeof stored === "number") this.storeAgainAt = this.now(); // it may expire soon
      } catch (error) {
        onError(error);
      }
    };
    this.stops.push(values.subscribe(this.name, accept, { onMissed: () => void read() }));
    const each = this.config.probes?.everySecond ?? everySecond;
    this.stops.push(each(() => void this.endSecond(values).catch(onError)));
    await read();
  }

  stop(): void {
    for (const stop of this.stops.splice(0)) stop();
  }

  /** Returns the maximum wait if the limit is cut every second from now on, so that Retry-After always holds. */
  maxWaitMs(waitMs: number): number {
    const { windowSecs } = this.config;
    let missing = (waitMs * this.capacity) / (windowSecs * 1000); // in permits
    let limit = this.clamp(this.limit * CUT_FACTOR);
    for (let waited = 0; ; waited += 1000) {
      const perMs = Math.floor(limit) / (windowSecs * 1000);
      if (missing <= perMs * 1000 || limit <= this.floor) return waited + missing / perMs;
      missing -= perMs * 1000;
      limit = this.clamp(limit * CUT_FACTOR);
    }
  }

  private async endSecond(values: SharedValues): Promise<void> {
    const { admitted, isOverloaded } = this.measureSecond();
    if (isOverloaded) await values.add(`${this.name}:overloaded`, 1, { ttlMs: REPORT_MS });
    if (admitted > 0) await values.add(`${this.name}:used`, admitted, { ttlMs: REPORT_MS });
    if (!(await values.set(`${this.name}:decision`, 1, { ttlMs: DECISION_MS, ifAbsent: true }))) return;
    const overloaded = await this.collect(values, "overloaded");
    const used = await this.collect(values, "used");
    const limit = this.nextLimit(overloaded > 0, used);
    const isChanged = limit !== this.limit;
    if (!isChanged && this.now() < this.storeAgainAt) return;
    await values.set(`${this.name}:limit`, limit, { ttlMs: LIMIT_MS });
    this.storeAgainAt = this.now() + LIMIT_MS / 2;
    if (isChanged) await values.publish(this.name, limit);
  }

  private measureSecond(): { readonly admitted: number; readonly isOverloaded: boolean } {
    const { probes = {}, ...limits } = this.config;
    const { admitted, latencyMs, errorShare } = this.signals.endSecond();
    const isOverloaded = [
      this.cpu() > limits.cpuThreshold,
      (probes.memory ?? processMemory)() > limits.memoryThreshold,
      (probes.latencyMs?.() ?? latencyMs) > limits.latencyThresholdMs,
      (probes.errorShare?.() ?? errorShare) > limits.errorThreshold,
    ].includes(true);
    return { admitted, isOverloaded };
  }

  /** Consumes the reports of all workers; later ones count for the next second. */
  private async collect(values: SharedValues, report: string): Promise<number> {
    const reported = await values.get(`${this.name}:${report}`);
    if (typeof reported !== "number" || reported === 0) return 0;
    await values.add(`${this.name}:${report}`, -reported, { ttlMs: REPORT_MS });
    return reported;
  }

  private nextLimit(isOverloaded: boolean, used: number): number {
    const { maxRequests, windowSecs } = this.config;
    if (isOverloaded) return this.clamp(this.limit * CUT_FACTOR);
    const half = this.limit / windowSecs / 2;
    return used < half || used === 0
      ? this.limit
      : this.clamp(this.limit + Math.max(1, maxRequests * RAISE_FRACTION));
  }

  private clamp(limit: number): number {
    return Math.min(this.config.maxRequests, Math.max(this.floor, limit));
  }
}
