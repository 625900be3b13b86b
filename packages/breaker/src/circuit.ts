// The complete state machine of a circuit.
import type { Awaitable } from "@framework/core";
import { type Clock, isPromise, mapAwaitable } from "@framework/core/feature";
import type { CircuitStore, LeaseResult, Trial, Phase } from "./circuit-store.ts";

/** State of a circuit. */
export type CircuitState = "closed" | "open" | "half-open";

/** A change of state. */
export interface CircuitTransition {
  /** Name of the circuit: `GET /books/{id}`, `grpc books.v1.Catalog/GetBook`, `app`, or the name passed to `around` or `breaker`. */
  readonly name: string;
  /** State before the change. */
  readonly from: CircuitState;
  /** State after the change. */
  readonly to: CircuitState;
}

/** The outcome of a call; `neutral` does not count. */
export type Outcome = "success" | "failure" | "neutral";

/** Permission for a call: the epoch if the circuit is closed, else a trial. */
export type Permission = number | Trial;

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
  readonly clock: Pick<Clock, "now">;
  readonly store: CircuitStore;
  /** Called with every change of this worker's view. */
  readonly onTransition: (transition: CircuitTransition) => void;
  /** Called with the new state, only in the worker that made the change. @default none */
  readonly onDecision?: (to: CircuitState) => void;
}

/**
 * A worker's view of one circuit.
 *
 * A circuit passes through phases, closed or open, numbered by epoch; the store accepts exactly one successor of each phase. An open phase is
 * half-open once its time has elapsed. Calls from another epoch, and trials whose slot has expired, do not count.
 */
export class Circuit {
  readonly name: string;
  private readonly options: CircuitOptions;
  private store: CircuitStore;
  private phase: Phase = { epoch: 0, state: "closed", leftMs: 0 };
  /** Whether the store has confirmed the phase. An open phase takes effect before it is confirmed, so that no call passes meanwhile. */
  private isConfirmed = true;
  private endsAt = 0;
  private failureCount = 0;
  private serial = 0;
  private reportedState: CircuitState = "closed";
  /** Trials of this worker in this epoch that have a slot or have requested one. */
  private readonly trials = new Set<Trial>();

  constructor(options: CircuitOptions) {
    this.name = options.name;
    this.options = options;
    this.store = options.store;
  }

  get state(): CircuitState {
    if (this.phase.state === "closed") return "closed";
    return this.options.clock.now() < this.endsAt ? "open" : "half-open";
  }

  /** Failures in a row on this worker. */
  get failures(): number {
    return this.failureCount;
  }

  /** Whole seconds to wait before retrying, at least 1; 0 while closed. */
  get retryAfterSecs(): number {
    if (this.phase.state === "closed") return 0;
    return Math.max(1, Math.ceil((this.endsAt - this.options.clock.now()) / 1000));
  }

  /** Switches to another store and adopts its phase. */
  attach(store: CircuitStore): Awaitable<void> {
    this.store = store;
    return mapAwaitable(store.current(), (phase) => {
      if (phase !== null) this.adopt(phase);
    });
  }

  /** Returns permission for a call, `null` if rejected. */
  enter(): Awaitable<Permission | null> {
    return this.phase.state === "closed" ? this.phase.epoch : this.requestTrial();
  }

  /** Records the outcome of a call; only the first outcome of a trial counts. */
  leave(permission: Permission, outcome: Outcome): void {
    if (typeof permission === "number") this.count(permission, outcome);
    else this.countTrial(permission, outcome);
  }

  /** Processes an announced phase; replies to an outdated one with the current phase. */
  receive(phase: Phase): void {
    if (phase.epoch >= this.phase.epoch) this.adopt(phase);
    else if (this.isConfirmed) void this.store.announce({ ...this.phase, leftMs: this.leftMs() });
  }

  /** Opens or closes the circuit manually; resolves when all workers have adopted the phase, or after a timeout of the store. */
  force(state: Phase["state"]): Awaitable<void> {
    const phase = this.nextPhase(state);
    const from = this.state;
    return mapAwaitable(this.store.decide(phase), (decided) => {
      this.adopt(decided);
      return decided === phase ? this.announceDecision(from, phase) : this.force(state);
    });
  }

  private nextPhase(state: Phase["state"]): Phase {
    const leftMs = state === "open" ? this.options.resetMs : 0;
    return { epoch: this.phase.epoch + 1, state, leftMs };
  }

  private requestTrial(): Awaitable<Permission | null> {
    const { clock, id, resetMs, halfOpenTarget } = this.options;
    const at = clock.now();
    if (at < this.endsAt) return null;
    this.report();
    for (const trial of this.trials) if (trial.endsAt <= at) this.trials.delete(trial);
    if (this.trials.size >= halfOpenTarget) return null;
    const trial: Trial = { epoch: this.phase.epoch, id: `${id}:${++this.serial}`, endsAt: at + resetMs };
    this.trials.add(trial);
    const leased = this.store.lease(trial);
    return isPromise(leased) ? leased.then((known) => this.begin(trial, known)) : this.begin(trial, leased);
  }

  private begin(trial: Trial, { isLeased, successor }: LeaseResult): Permission | null {
    if (successor !== null) this.adopt(successor);
    if (isLeased && this.trials.has(trial)) return trial;
    this.trials.delete(trial);
    if (isLeased) void this.store.release(trial);
    return this.phase.state === "closed" ? this.phase.epoch : null;
  }

  private count(epoch: number, outcome: Outcome): void {
    if (epoch !== this.phase.epoch || outcome === "neutral") return;
    this.failureCount = outcome === "success" ? 0 : this.failureCount + 1;
    if (this.failureCount >= this.options.failureThreshold) this.move("open");
  }

  private countTrial(trial: Trial, outcome: Outcome): void {
    const isCounted = this.trials.delete(trial) && this.options.clock.now() < trial.endsAt;
    void this.store.release(trial);
    if (!isCounted || outcome === "neutral") return;
    if (outcome === "failure") return this.move("open");
    void mapAwaitable(this.store.succeed(trial), (successes) => {
      const isRecovered = successes >= this.options.halfOpenTarget && trial.epoch === this.phase.epoch;
      if (isRecovered) this.move("closed");
    });
  }

  private move(state: Phase["state"]): void {
    const phase = this.nextPhase(state);
    const from = this.state;
    if (state === "open") this.startPhase(phase, false);
    void mapAwaitable(this.store.decide(phase), (decided) => {
      this.adopt(decided);
      if (decided === phase) void this.announceDecision(from, phase);
    });
  }

  private announceDecision(from: CircuitState, phase: Phase): Awaitable<void> {
    if (phase.state !== from) this.options.onDecision?.(phase.state);
    return this.store.announce(phase);
  }

  /** Adopts a phase that the store has confirmed, unless it is outdated. */
  private adopt(phase: Phase): void {
    const { epoch, state } = this.phase;
    if (phase.epoch < epoch || (phase.epoch === epoch && this.isConfirmed)) return;
    if (phase.epoch === epoch && phase.state === state) this.isConfirmed = true;
    else this.startPhase(phase, true);
  }

  private startPhase(phase: Phase, isConfirmed: boolean): void {
    this.report(); // the half-open state, if no request has reported it yet
    this.phase = phase;
    this.isConfirmed = isConfirmed;
    this.endsAt = this.options.clock.now() + phase.leftMs;
    this.failureCount = 0;
    this.trials.clear();
    this.report();
  }

  private report(): void {
    const { state: to } = this;
    const from = this.reportedState;
    if (to === from) return;
    this.reportedState = to;
    this.options.onTransition({ name: this.name, from, to });
    if (to === "half-open") this.claimHalfOpen();
  }

  /** Claims the change to half-open for this worker: every worker detects it by its own clock, and exactly one may report it. */
  private claimHalfOpen(): void {
    const { onDecision } = this.options;
    if (onDecision === undefined) return;
    void mapAwaitable(this.store.claimHalfOpen(this.phase.epoch), (isFirst) => {
      if (isFirst) onDecision("half-open");
    });
  }

  private leftMs(): number {
    return this.phase.state === "closed" ? 0 : Math.max(0, this.endsAt - this.options.clock.now());
  }
}
