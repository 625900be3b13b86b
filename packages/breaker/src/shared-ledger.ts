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
import { type CircuitLedger, type Leased, LocalLedger, type Trial, type Turn } from "./circuit-ledger.ts";

/** Name of the channel on which turns are announced. */
export const TURNS = "breaker:turns";

/** Life of the latest turn, for workers that start later, and of the successes in an epoch. */
const LASTING_MS = 604_800_000;
/** Life of the answer to what follows a turn, besides twice the time that it is open; the latest turn answers later. */
const DECIDED_MS = 60_000;
/** Longest name that stands in a key; a longer one becomes its SHA-256. */
const LONGEST = 200;

/** What a ledger that workers share needs. */
export interface SharedLedgerOptions {
  readonly shared: SharedState;
  readonly name: string;
  readonly halfOpenTarget: number;
  readonly resetMs: number;
  /** Hears of every call that failed; this worker then decides for itself. */
  readonly failed: (error: unknown) => void;
}

/** What is announced. */
export interface TurnMessage extends Turn {
  readonly name: string;
}

/** Reads an announcement; `null` for anything else. */
export const toTurnMessage = (message: Json): TurnMessage | null => {
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
 * The ledger of a circuit over all workers, in the shared state.
 *
 * What follows a turn is decided by the first to store it. Slots for trials are leased permits: they come back when they are given back, or when the
 * lease of a dead worker ends. The rest of an open turn is the life of a counter.
 */
export class SharedLedger implements CircuitLedger {
  readonly #options: SharedLedgerOptions;
  readonly #key: string;
  readonly #alone = new LocalLedger();

  constructor(options: SharedLedgerOptions) {
    this.#options = options;
    const { name } = options;
    this.#key = `breaker:${name.length <= LONGEST ? name : `sha256:${hash("sha256", name)}`}`;
  }

  current(): Awaitable<Turn | null> {
    return this.#ask(() => this.#read(`${this.#key}:current`), null);
  }

  lease({ epoch, id }: Trial): Awaitable<Leased> {
    const { shared } = this.#options;
    return this.#ask<Leased>(() => {
      const next = this.#read(`${this.#key}:${epoch + 1}`);
      const permits = shared.permits.take(this.#slots(epoch), this.#rule(), {
        spend: 0,
        lease: this.#lease(id, 1),
      });
      return isPromise(next) || isPromise(permits)
        ? Promise.all([permits, next]).then(([{ leased }, turn]) => ({ isLeased: leased === 1, next: turn }))
        : { isLeased: permits.leased === 1, next };
    }, this.#alone.lease());
  }

  giveBack({ epoch, id }: Trial): Awaitable<void> {
    const { shared } = this.#options;
    return this.#ask(
      () =>
        mapAwaitable(
          shared.permits.take(this.#slots(epoch), this.#rule(), { spend: 0, lease: this.#lease(id, 0) }),
          () => {},
        ),
      undefined,
    );
  }

  succeed(trial: Trial): Awaitable<number> {
    const alone = this.#alone.succeed(trial);
    const key = `${this.#key}:${trial.epoch}:successes`;
    return this.#ask(
      () =>
        mapAwaitable(this.#options.shared.values.add(key, 1, { ttlMs: LASTING_MS }), ({ value }) => value),
      alone,
    );
  }

  decide(turn: Turn): Awaitable<Turn> {
    const key = `${this.#key}:${turn.epoch}`;
    const ttlMs = DECIDED_MS + 2 * this.#options.resetMs;
    const { epoch, state } = turn;
    return this.#ask(
      () =>
        mapAwaitable(
          this.#options.shared.values.set(key, { epoch, state }, { ttlMs, ifAbsent: true }),
          (isFirst) =>
            isFirst ? this.#unlessOver(turn) : mapAwaitable(this.#read(key), (decided) => decided ?? turn),
        ),
      turn,
    );
  }

  /** The latest turn if it goes beyond this one: who missed so much that its answer is forgotten would be the first again. */
  #unlessOver(turn: Turn): Awaitable<Turn> {
    return mapAwaitable(this.#read(`${this.#key}:current`), (latest) =>
      latest !== null && latest.epoch >= turn.epoch ? latest : turn,
    );
  }

  /** Also keeps the turn for workers that start later. */
  announce({ epoch, state, leftMs }: Turn): Awaitable<void> {
    const { shared, name } = this.#options;
    return this.#ask(async () => {
      const timed = leftMs > 0 ? shared.values.add(this.#timer(epoch), 1, { ttlMs: leftMs }) : undefined;
      const kept = shared.values.set(`${this.#key}:current`, { epoch, state }, { ttlMs: LASTING_MS });
      await Promise.all([timed, kept, shared.values.publish(TURNS, { name, epoch, state, leftMs })]);
    }, undefined);
  }

  #read(key: string): Awaitable<Turn | null> {
    const { shared } = this.#options;
    return mapAwaitable(shared.values.get(key), (value) => {
      const turn = toTurnMessage({ ...(value as object), name: "", leftMs: 0 });
      if (turn === null) return null;
      const { epoch, state } = turn;
      if (state === "closed") return { epoch, state, leftMs: 0 };
      return mapAwaitable(
        shared.values.add(this.#timer(epoch), 0, { ttlMs: 1 }),
        ({ value: isRunning, expiresInMs }) => ({ epoch, state, leftMs: isRunning > 0 ? expiresInMs : 0 }),
      );
    });
  }

  #timer(epoch: number): string {
    return `${this.#key}:${epoch}:timer`;
  }

  #slots(epoch: number): string {
    return `${this.#key}:${epoch}:trials`;
  }

  #rule(): PermitRule {
    return { kind: "window", capacity: this.#options.halfOpenTarget, windowMs: 1 };
  }

  #lease(holder: string, most: number): PermitLease {
    return { holder, hold: 0, used: [], most, share: 1, leaseMs: this.#options.resetMs };
  }

  /** Asks the shared state; without an answer this worker goes on alone. */
  #ask<T>(call: () => Awaitable<T>, alone: T): Awaitable<T> {
    const fall = (error: unknown): T => {
      this.#options.failed(error);
      return alone;
    };
    try {
      const answer = call();
      return isPromise(answer) ? answer.then(undefined, fall) : answer;
    } catch (error) {
      return fall(error);
    }
  }
}
