import { hash } from "node:crypto";
import type { Awaitable } from "@framework/core";
import {
  isPromise,
  type Json,
  mapAwaitable,
  type PermitLease,
  type PermitRule,
  type SharedState,
} from "@framework/core/feature";
import {
  type CircuitStore,
  type LeaseResult,
  LocalCircuitStore,
  type Trial,
  type Phase,
} from "./circuit-store.ts";

/** Channel for announcements of phases. */
export const PHASES_CHANNEL = "breaker:phases";

/** Time to live of the latest phase, for workers that start later, and of an epoch's successes. */
const PHASE_TTL_MS = 604_800_000;
/** Time to live of a phase's successor, in addition to twice `resetTimeout`. After that, workers use the latest phase. */
const SUCCESSOR_TTL_MS = 60_000;
/** Maximum wait until the other workers have adopted a phase, in milliseconds. */
const ANNOUNCE_MS = 1000;
/** Maximum length of a name in a key; longer names are replaced by their SHA-256. */
const MAX_NAME_LENGTH = 200;

/** Options of `SharedCircuitStore`. */
export interface SharedCircuitStoreOptions {
  readonly shared: SharedState;
  readonly name: string;
  readonly halfOpenTarget: number;
  readonly resetMs: number;
  /** Called with the error of each failed call; the worker then uses its local store. */
  readonly onError: (error: unknown) => void;
}

/** The message of an announcement. */
export interface PhaseMessage extends Phase {
  readonly name: string;
}

/** Parses an announcement; `null` for other messages. */
export const toPhaseMessage = (message: Json): PhaseMessage | null => {
  if (typeof message !== "object" || message === null) return null;
  const { name, epoch, state, leftMs } = message as { readonly [key: string]: Json };
  return typeof name === "string" &&
    Number.isSafeInteger(epoch) &&
    (state === "open" || state === "closed") &&
    typeof leftMs === "number"
    ? { name, epoch: epoch as number, state, leftMs }
    : null;
};

/**
 * Stores a circuit in the state that all workers share.
 *
 * The first worker that stores the successor of a phase decides it. Slots for trials are leased permits: a slot is free again when it is returned, or when
 * the lease of a dead worker expires. An open phase ends when its counter expires.
 */
export class SharedCircuitStore implements CircuitStore {
  private readonly options: SharedCircuitStoreOptions;
  private readonly key: string;
  private readonly local = new LocalCircuitStore();

  constructor(options: SharedCircuitStoreOptions) {
    this.options = options;
    const { name } = options;
    this.key = `breaker:${name.length <= MAX_NAME_LENGTH ? name : `sha256:${hash("sha256", name)}`}`;
  }

  current(): Awaitable<Phase | null> {
    return this.call(() => this.read(`${this.key}:current`), null);
  }

  lease({ epoch, id }: Trial): Awaitable<LeaseResult> {
    const { shared } = this.options;
    return this.call<LeaseResult>(() => {
      const successor = this.read(`${this.key}:${epoch + 1}`);
      const permits = shared.permits.take(this.slots(epoch), this.rule(), {
        spend: 0,
        lease: this.leaseFor(id, 1),
      });
      return isPromise(successor) || isPromise(permits)
        ? Promise.all([permits, successor]).then(([{ leased }, phase]) => ({
            isLeased: leased === 1,
            successor: phase,
          }))
        : { isLeased: permits.leased === 1, successor };
    }, this.local.lease());
  }

  release({ epoch, id }: Trial): Awaitable<void> {
    const { shared } = this.options;
    return this.call(
      () =>
        mapAwaitable(
          shared.permits.take(this.slots(epoch), this.rule(), { spend: 0, lease: this.leaseFor(id, 0) }),
          () => {},
        ),
      undefined,
    );
  }

  succeed(trial: Trial): Awaitable<number> {
    const local = this.local.succeed(trial);
    const key = `${this.key}:${trial.epoch}:successes`;
    return this.call(
      () =>
        mapAwaitable(this.options.shared.values.add(key, 1, { ttlMs: PHASE_TTL_MS }), ({ value }) => value),
      local,
    );
  }

  decide(phase: Phase): Awaitable<Phase> {
    const key = `${this.key}:${phase.epoch}`;
    const ttlMs = this.successorTtlMs();
    const { epoch, state } = phase;
    return this.call(
      () =>
        mapAwaitable(
          this.options.shared.values.set(key, { epoch, state }, { ttlMs, ifAbsent: true }),
          (isFirst) =>
            isFirst
              ? this.unlessOutdated(phase)
              : mapAwaitable(this.read(key), (decided) => decided ?? phase),
        ),
      phase,
    );
  }

  /** Returns the latest stored phase, or `phase` if that is newer: a worker that missed an expired successor would otherwise store it again. */
  private unlessOutdated(phase: Phase): Awaitable<Phase> {
    return mapAwaitable(this.read(`${this.key}:current`), (latest) =>
      latest !== null && latest.epoch >= phase.epoch ? latest : phase,
    );
  }

  claimHalfOpen(epoch: number): Awaitable<boolean> {
    const key = `${this.key}:${epoch}:half-open`;
    const ttlMs = this.successorTtlMs();
    return this.call(() => this.options.shared.values.set(key, true, { ttlMs, ifAbsent: true }), true);
  }

  /** Publishes the phase and stores it for workers that start later. */
  announce({ epoch, state, leftMs }: Phase): Awaitable<void> {
    const { shared, name } = this.options;
    return this.call(async () => {
      const timed = leftMs > 0 ? shared.values.add(this.timer(epoch), 1, { ttlMs: leftMs }) : undefined;
      const kept = shared.values.set(`${this.key}:current`, { epoch, state }, { ttlMs: PHASE_TTL_MS });
      const published = shared.values.publish(
        PHASES_CHANNEL,
        { name, epoch, state, leftMs },
        { waitMs: ANNOUNCE_MS },
      );
      await Promise.all([timed, kept, published]);
    }, undefined);
  }

  private read(key: string): Awaitable<Phase | null> {
    const { shared } = this.options;
    return mapAwaitable(shared.values.get(key), (value) => {
      const phase = toPhaseMessage({ ...(value as object), name: "", leftMs: 0 });
      if (phase === null) return null;
      const { epoch, state } = phase;
      if (state === "closed") return { epoch, state, leftMs: 0 };
      return mapAwaitable(
        shared.values.add(this.timer(epoch), 0, { ttlMs: 1 }),
        ({ value: isRunning, expiresInMs }) => ({ epoch, state, leftMs: isRunning > 0 ? expiresInMs : 0 }),
      );
    });
  }

  private successorTtlMs(): number {
    return SUCCESSOR_TTL_MS + 2 * this.options.resetMs;
  }

  private timer(epoch: number): string {
    return `${this.key}:${epoch}:timer`;
  }

  private slots(epoch: number): string {
    return `${this.key}:${epoch}:trials`;
  }

  private rule(): PermitRule {
    return { kind: "window", capacity: this.options.halfOpenTarget, windowMs: 1 };
  }

  private leaseFor(holder: string, max: number): PermitLease {
    return { holder, hold: 0, used: [], max, share: 1, leaseMs: this.options.resetMs };
  }

  /** Calls the shared state; on failure this worker continues with its local store. */
  private call<T>(operation: () => Awaitable<T>, local: T): Awaitable<T> {
    const fallBack = (error: unknown): T => {
      this.options.onError(error);
      return local;
    };
    try {
      const result = operation();
      return isPromise(result) ? result.then(undefined, fallBack) : result;
    } catch (error) {
      return fallBack(error);
    }
  }
}
