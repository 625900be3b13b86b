// The complete state machine of a circuit.
import type { Awaitable } from "@framework/core";
import { isPromise, mapAwaitable } from "@framework/core/feature";
import type { CircuitLedger, Leased, Trial, Phase } from "./circuit-ledger.ts";

/** State of a circuit. */
export type CircuitState = "closed" | "open" | "half-open";

/** A change of state. */
export interface CircuitTransition {
  /** Name of the circuit: `GET /books/{id}`, `app`, or the program's name. */
  readonly name: string;
  readonly from: CircuitState;
  readonly to: CircuitState;
}

/** The outcome of a call; `neutral` does not count. */
export type Verdict = "success" | "failure" | "neutral";

/** Permission for a call: the epoch while the circuit is closed, else a trial. */
export type Pass = number | Trial;

/** Settings and dependencies of a circuit. */
export interface CircuitOptions {
  readonly name: string;
  /** Failures in a row that open it. */
  readonly failureThreshold: number;
  /** Milliseconds for which it stays open, and for which a trial keeps its slot. */
  readonly resetMs: number;
  /** Successful trials that close it, and maximum concurrent trials. */
  readonly halfOpenTarget: number;
  /** Prefix of the ids of this circuit's trials: unique across processes and their restarts, at most 40 characters. */
  readonly id: string;
  /** Monotonic clock in milliseconds. */
  readonly now: () => number;
  readonly ledger: CircuitLedger;
  readonly onTransition: (transition: CircuitTransition) => void;
}

/**
 * A worker's view of one circuit.
 *
 * Its life is a sequence of phases, closed or open, numbered by epoch; the ledger accepts exactly one successor of each phase. An open phase is
 * half-open once its time is over. Calls from another epoch, and trials whose slot was given to another, do not count.
 */
export class Circuit {
  readonly name: string;
  readonly #options: CircuitOptions;
  #ledger: CircuitLedger;
  #phase: Phase = { epoch: 0, state: "closed", leftMs: 0 };
  /** Whether the ledger has confirmed the phase; an open phase applies before, so that no request passes meanwhile. */
  #isConfirmed = true;
  #endsAt = 0;
  #failures = 0;
  #serial = 0;
  #reported: CircuitState = "closed";
  /** Trials of this worker in this epoch that have or requested a slot. */
  readonly #trials = new Set<Trial>();

  constructor(options: CircuitOptions) {
    this.name = options.name;
    this.#options = options;
    this.#ledger = options.ledger;
  }

  get state(): CircuitState {
    if (this.#phase.state === "closed") return "closed";
    return this.#options.now() < this.#endsAt ? "open" : "half-open";
  }

  /** Failures in a row on this worker. */
  get failures(): number {
    return this.#failures;
  }

  /** Whole seconds until a retry makes sense, at least 1; 0 while closed. */
  get retryAfterSecs(): number {
    if (this.#phase.state === "closed") return 0;
    return Math.max(1, Math.ceil((this.#endsAt - this.#options.now()) / 1000));
  }

  /** Switches to another ledger and adopts its phase. */
  attach(ledger: CircuitLedger): Awaitable<void> {
    this.#ledger = ledger;
    return mapAwaitable(ledger.current(), (phase) => {
      if (phase !== null) this.#adopt(phase);
    });
  }

  /** Returns permission for a call, `null` when refused. */
  enter(): Awaitable<Pass | null> {
    return this.#phase.state === "closed" ? this.#phase.epoch : this.#tryOut();
  }

  /** Records the outcome of a call; only the first verdict of a pass counts. */
  leave(pass: Pass, verdict: Verdict): void {
    if (typeof pass === "number") this.#count(pass, verdict);
    else this.#conclude(pass, verdict);
  }

  /** Processes an announced phase; answers an outdated one with the current phase. */
  receive(phase: Phase): void {
    if (phase.epoch >= this.#phase.epoch) this.#adopt(phase);
    else if (this.#isConfirmed) void this.#ledger.announce({ ...this.#phase, leftMs: this.#leftMs() });
  }

  /** Opens or closes the circuit manually; resolves when all workers have adopted the phase. */
  force(state: Phase["state"]): Awaitable<void> {
    const phase = this.#nextPhase(state);
    return mapAwaitable(this.#ledger.decide(phase), (decided) => {
      this.#adopt(decided);
      return decided === phase ? this.#ledger.announce(phase) : this.force(state);
    });
  }

  #nextPhase(state: Phase["state"]): Phase {
    const leftMs = state === "open" ? this.#options.resetMs : 0;
    return { epoch: this.#phase.epoch + 1, state, leftMs };
  }

  #tryOut(): Awaitable<Pass | null> {
    const { now, id, resetMs, halfOpenTarget } = this.#options;
    const at = now();
    if (at < this.#endsAt) return null;
    this.#report();
    for (const trial of this.#trials) if (trial.endsAt <= at) this.#trials.delete(trial);
    if (this.#trials.size >= halfOpenTarget) return null;
    const trial: Trial = { epoch: this.#phase.epoch, id: `${id}:${++this.#serial}`, endsAt: at + resetMs };
    this.#trials.add(trial);
    const leased = this.#ledger.lease(trial);
    return isPromise(leased) ? leased.then((known) => this.#begin(trial, known)) : this.#begin(trial, leased);
  }

  #begin(trial: Trial, { isLeased, next }: Leased): Pass | null {
    if (next !== null) this.#adopt(next);
    if (isLeased && this.#trials.has(trial)) return trial;
    this.#trials.delete(trial);
    if (isLeased) void this.#ledger.giveBack(trial);
    return this.#phase.state === "closed" ? this.#phase.epoch : null;
  }

  #count(epoch: number, verdict: Verdict): void {
    if (epoch !== this.#phase.epoch || verdict === "neutral") return;
    this.#failures = verdict === "success" ? 0 : this.#failures + 1;
    if (this.#failures >= this.#options.failureThreshold) this.#move("open");
  }

  #conclude(trial: Trial, verdict: Verdict): void {
    const counts = this.#trials.delete(trial) && this.#options.now() < trial.endsAt;
    void this.#ledger.giveBack(trial);
    if (!counts || verdict === "neutral") return;
    if (verdict === "failure") return this.#move("open");
    void mapAwaitable(this.#ledger.succeed(trial), (successes) => {
      const isOver = successes >= this.#options.halfOpenTarget && trial.epoch === this.#phase.epoch;
      if (isOver) this.#move("closed");
    });
  }

  #move(state: Phase["state"]): void {
    const phase = this.#nextPhase(state);
    if (state === "open") this.#startPhase(phase, false);
    void mapAwaitable(this.#ledger.decide(phase), (decided) => {
      this.#adopt(decided);
      if (decided === phase) void this.#ledger.announce(phase);
    });
  }

  /** Adopts a phase that the ledger has confirmed, unless it is outdated. */
  #adopt(phase: Phase): void {
    const { epoch, state } = this.#phase;
    if (phase.epoch < epoch || (phase.epoch === epoch && this.#isConfirmed)) return;
    if (phase.epoch === epoch && phase.state === state) this.#isConfirmed = true;
    else this.#startPhase(phase, true);
  }

  #startPhase(phase: Phase, isConfirmed: boolean): void {
    this.#report(); // the half-open state, if no request came since
    this.#phase = phase;
    this.#isConfirmed = isConfirmed;
    this.#endsAt = this.#options.now() + phase.leftMs;
    this.#failures = 0;
    this.#trials.clear();
    this.#report();
  }

  #report(): void {
    const { state: to } = this;
    const from = this.#reported;
    if (to === from) return;
    this.#reported = to;
    this.#options.onTransition({ name: this.name, from, to });
  }

  #leftMs(): number {
    return this.#phase.state === "closed" ? 0 : Math.max(0, this.#endsAt - this.#options.now());
  }
}
