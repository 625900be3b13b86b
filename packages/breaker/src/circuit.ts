// The whole state machine of a circuit stands here in one piece.
import type { Awaitable } from "@framework/core";
import { isPromise, mapAwaitable } from "@framework/core/feature";
import type { CircuitLedger, Leased, Trial, Turn } from "./circuit-ledger.ts";

/** Where a circuit stands. */
export type CircuitState = "closed" | "open" | "half-open";

/** A change of state. */
export interface CircuitTransition {
  /** The circuit: `GET /books/{id}`, `app`, or what the program called it. */
  readonly name: string;
  readonly from: CircuitState;
  readonly to: CircuitState;
}

/** What a call turned out to be; `neutral` says nothing about the callee. */
export type Verdict = "success" | "failure" | "neutral";

/** Leave to call: as one of many while the circuit is closed (the epoch), or as a trial. */
export type Pass = number | Trial;

/** What a circuit is made of. */
export interface CircuitOptions {
  readonly name: string;
  /** Failures in a row that open it. */
  readonly failureThreshold: number;
  /** Milliseconds that it stays open, and that a trial keeps its slot. */
  readonly resetMs: number;
  /** Successful trials that close it, and trials at one time. */
  readonly halfOpenTarget: number;
  /** Begins the names of this circuit's trials: unique over all processes and their lives, at most 40 characters. */
  readonly id: string;
  /** Monotonic clock in milliseconds. */
  readonly now: () => number;
  readonly ledger: CircuitLedger;
  readonly onTransition: (transition: CircuitTransition) => void;
}

/**
 * One circuit as one worker sees it.
 *
 * Its life is a row of turns, closed or open, with a number each, the epoch; the ledger lets exactly one turn follow another, whoever decides. An open
 * turn is half-open once its time is over. What began in another epoch, or in a slot that was given to somebody else, no longer counts.
 */
export class Circuit {
  readonly name: string;
  readonly #options: CircuitOptions;
  #ledger: CircuitLedger;
  #turn: Turn = { epoch: 0, state: "closed", leftMs: 0 };
  /** Whether the ledger has confirmed the turn; an open one counts before, so that no request is let through meanwhile. */
  #isFirm = true;
  #endsAt = 0;
  #failures = 0;
  #serial = 0;
  #told: CircuitState = "closed";
  /** Trials of this worker and this epoch whose slots are theirs or being asked for. */
  readonly #trials = new Set<Trial>();

  constructor(options: CircuitOptions) {
    this.name = options.name;
    this.#options = options;
    this.#ledger = options.ledger;
  }

  get state(): CircuitState {
    if (this.#turn.state === "closed") return "closed";
    return this.#options.now() < this.#endsAt ? "open" : "half-open";
  }

  /** Failures in a row that this worker saw. */
  get failures(): number {
    return this.#failures;
  }

  /** Whole seconds until asking again makes sense, at least 1; 0 while closed. */
  get retryAfterSecs(): number {
    if (this.#turn.state === "closed") return 0;
    return Math.max(1, Math.ceil((this.#endsAt - this.#options.now()) / 1000));
  }

  /** Goes on with another ledger, and with the turn it knows. */
  attach(ledger: CircuitLedger): Awaitable<void> {
    this.#ledger = ledger;
    return mapAwaitable(ledger.current(), (turn) => {
      if (turn !== null) this.#adopt(turn);
    });
  }

  /** Leave to call, or `null`. */
  enter(): Awaitable<Pass | null> {
    return this.#turn.state === "closed" ? this.#turn.epoch : this.#tryOut();
  }

  /** Takes in what became of a call; only the first word on a pass counts. */
  leave(pass: Pass, verdict: Verdict): void {
    if (typeof pass === "number") this.#count(pass, verdict);
    else this.#conclude(pass, verdict);
  }

  /** Hears of a turn that somebody announced; one that is over is answered with the present one. */
  hear(turn: Turn): void {
    if (turn.epoch >= this.#turn.epoch) this.#adopt(turn);
    else if (this.#isFirm) void this.#ledger.announce({ ...this.#turn, leftMs: this.#leftMs() });
  }

  /** Opens or closes it by hand; done when all workers know. */
  force(state: Turn["state"]): Awaitable<void> {
    const turn = this.#following(state);
    return mapAwaitable(this.#ledger.decide(turn), (decided) => {
      this.#adopt(decided);
      return decided === turn ? this.#ledger.announce(turn) : this.force(state);
    });
  }

  #following(state: Turn["state"]): Turn {
    const leftMs = state === "open" ? this.#options.resetMs : 0;
    return { epoch: this.#turn.epoch + 1, state, leftMs };
  }

  #tryOut(): Awaitable<Pass | null> {
    const { now, id, resetMs, halfOpenTarget } = this.#options;
    const at = now();
    if (at < this.#endsAt) return null;
    this.#tell();
    for (const trial of this.#trials) if (trial.endsAt <= at) this.#trials.delete(trial);
    if (this.#trials.size >= halfOpenTarget) return null;
    const trial: Trial = { epoch: this.#turn.epoch, id: `${id}:${++this.#serial}`, endsAt: at + resetMs };
    this.#trials.add(trial);
    const leased = this.#ledger.lease(trial);
    return isPromise(leased) ? leased.then((known) => this.#begin(trial, known)) : this.#begin(trial, leased);
  }

  #begin(trial: Trial, { isLeased, next }: Leased): Pass | null {
    if (next !== null) this.#adopt(next);
    if (isLeased && this.#trials.has(trial)) return trial;
    this.#trials.delete(trial);
    if (isLeased) void this.#ledger.giveBack(trial);
    return this.#turn.state === "closed" ? this.#turn.epoch : null;
  }

  #count(epoch: number, verdict: Verdict): void {
    if (epoch !== this.#turn.epoch || verdict === "neutral") return;
    this.#failures = verdict === "success" ? 0 : this.#failures + 1;
    if (this.#failures >= this.#options.failureThreshold) this.#move("open");
  }

  #conclude(trial: Trial, verdict: Verdict): void {
    const counts = this.#trials.delete(trial) && this.#options.now() < trial.endsAt;
    void this.#ledger.giveBack(trial);
    if (!counts || verdict === "neutral") return;
    if (verdict === "failure") return this.#move("open");
    void mapAwaitable(this.#ledger.succeed(trial), (successes) => {
      const isOver = successes >= this.#options.halfOpenTarget && trial.epoch === this.#turn.epoch;
      if (isOver) this.#move("closed");
    });
  }

  #move(state: Turn["state"]): void {
    const turn = this.#following(state);
    if (state === "open") this.#begins(turn, false);
    void mapAwaitable(this.#ledger.decide(turn), (decided) => {
      this.#adopt(decided);
      if (decided === turn) void this.#ledger.announce(turn);
    });
  }

  /** Takes over a turn that the ledger has confirmed, unless it is over already. */
  #adopt(turn: Turn): void {
    const { epoch, state } = this.#turn;
    if (turn.epoch < epoch || (turn.epoch === epoch && this.#isFirm)) return;
    if (turn.epoch === epoch && turn.state === state) this.#isFirm = true;
    else this.#begins(turn, true);
  }

  #begins(turn: Turn, isFirm: boolean): void {
    this.#tell(); // that it was half-open before, if nobody has asked since
    this.#turn = turn;
    this.#isFirm = isFirm;
    this.#endsAt = this.#options.now() + turn.leftMs;
    this.#failures = 0;
    this.#trials.clear();
    this.#tell();
  }

  #tell(): void {
    const { state: to } = this;
    const from = this.#told;
    if (to === from) return;
    this.#told = to;
    this.#options.onTransition({ name: this.name, from, to });
  }

  #leftMs(): number {
    return this.#turn.state === "closed" ? 0 : Math.max(0, this.#endsAt - this.#options.now());
  }
}
