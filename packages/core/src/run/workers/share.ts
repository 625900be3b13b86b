import type { Clock } from "../../runtime/clock.ts";
import type { ConnectionCounts, Load } from "./messages.ts";

/** Milliseconds between two checks of the open connections: while their number changes, and while it does not. */
const TICK_MS = 100;
const QUIET_TICK_MS = 1000;
/** Milliseconds of the first and the longest pause before a worker polls the queue for connections that the other workers have not accepted. */
const FIRST_PAUSE_MS = 20;
const MAX_PAUSE_MS = 80;
/** Milliseconds with too many long-lived connections after which a worker begins to close some, and between two such steps. */
const SHED_MS = 3000;
/** Milliseconds after an unanswered report for which the means are still valid: the primary normally responds within 100 ms. */
const STALE_MS = 1000;

/** Dependencies of `Share`: the listener, the transport and the primary. */
export interface ShareParts {
  /** Open connections. */
  connections(): number;
  /** Leaves new connections to other workers; they stay in the queue. */
  pause(): void;
  resume(): void;
  /** Closes this many connections, each with its next reply. */
  shed(count: number): void;
  report(load: Load): void;
  /** Calls `call` once the event loop has polled the queue. */
  afterTurn(call: () => void): void;
  readonly clock: Clock;
}

/**
 * A worker's share of a port's connections. Above the mean of all workers, the worker backs off: it leaves new connections to the others. During this time it
 * polls the queue after short pauses and accepts remaining connections, because the event loops of the other workers may be blocked.
 */
export class Share {
  private readonly parts: ShareParts;
  private means: ConnectionCounts = { settled: 0, peak: 0 };
  private load: Load = { settled: 0, peak: 0, backsOff: false };
  /** Connections accepted since the last tick. */
  private acceptedInTick = 0;
  /** Connections that were recently closed between two ticks. */
  private churn = 0;
  /** Connections at the last tick. */
  private openAtTick = 0;
  private peak = 0;
  private isBackingOff = false;
  private pauseMs = FIRST_PAUSE_MS;
  /** Maximum number of connections that a poll accepts; doubles after each poll that accepts any, else returns to 1. */
  private quota = 1;
  /** Connections accepted since the last poll. */
  private acceptedInPoll = 0;
  /** Monotonic milliseconds at which the worker began to have too many long-lived connections. */
  private excessSince: number | null = null;
  /** Monotonic milliseconds of the first report after the latest means. */
  private unansweredSince: number | null = null;
  private isQuiet = true;
  private cancelTick = (): void => {};
  private cancelPoll = (): void => {};

  constructor(parts: ShareParts) {
    this.parts = parts;
    this.schedule(QUIET_TICK_MS);
    this.report(this.load);
  }

  /** Counts an accepted connection. */
  accepted(): void {
    this.acceptedInTick++;
    this.acceptedInPoll++;
    this.peak = Math.max(this.peak, this.parts.connections());
    if (this.isQuiet) this.schedule(TICK_MS);
    if (this.isBackingOff) {
      if (this.acceptedInPoll >= this.quota) this.parts.pause();
    } else if (this.isFull()) {
      this.report({ ...this.load, peak: this.peak, backsOff: true });
      this.backOff();
    }
  }

  /** Updates the means of all workers. */
  updateMeans(means: ConnectionCounts): void {
    this.means = means;
    this.unansweredSince = null;
    this.update();
  }

  close(): void {
    this.isBackingOff = false;
    this.cancelTick();
    this.cancelPoll();
  }

  private readonly tick = (): void => {
    const open = this.parts.connections();
    const { settled, peak } = this.load;
    this.churn = Math.max(this.acceptedInTick - (open - this.openAtTick), Math.floor(this.churn * 0.9));
    const load = {
      settled: Math.min(open, settled + 1 + Math.floor(settled / 10)),
      peak: this.peak,
      backsOff: this.isBackingOff,
    };
    const isQuiet =
      this.acceptedInTick === 0 && open === this.openAtTick && open === settled && this.churn === 0;
    this.acceptedInTick = 0;
    this.openAtTick = open;
    this.peak = open;
    if (load.settled !== settled || Math.abs(load.peak - peak) > peak / 10) this.report(load);
    this.update();
    this.shedExcess();
    this.schedule(isQuiet ? QUIET_TICK_MS : TICK_MS);
  };

  private schedule(afterMs: number): void {
    this.cancelTick();
    this.isQuiet = afterMs === QUIET_TICK_MS;
    this.cancelTick = this.parts.clock.after(afterMs, this.tick);
  }

  private report(load: Load): void {
    this.load = load;
    this.unansweredSince ??= this.parts.clock.now();
    this.parts.report(load);
  }

  private isFull(): boolean {
    const { means, churn, load } = this;
    if (churn < load.settled && load.settled > means.settled * 1.05) return true;
    return this.parts.connections() >= means.peak * 1.1 + 1 + churn;
  }

  private update(): void {
    if (this.isFull() !== this.isBackingOff) {
      if (this.isBackingOff) this.resume();
      else this.backOff();
    }
  }

  private backOff(): void {
    this.isBackingOff = true;
    this.pauseMs = FIRST_PAUSE_MS;
    this.quota = 1;
    this.pause();
  }

  private resume(): void {
    this.isBackingOff = false;
    this.cancelPoll();
    this.parts.resume();
  }

  private pause(): void {
    this.parts.pause();
    this.cancelPoll(); // a worker that backs off twice within one turn of the event loop has a timer already
    this.cancelPoll = this.parts.clock.after(this.pauseMs, this.poll);
  }

  private readonly poll = (): void => {
    this.acceptedInPoll = 0;
    this.parts.resume();
    this.afterTurn();
  };

  private afterTurn(): void {
    const before = this.acceptedInPoll;
    this.parts.afterTurn(() => {
      if (!this.isBackingOff) return;
      if (this.acceptedInPoll > before && this.acceptedInPoll < this.quota) return this.afterTurn();
      const acceptedAny = this.acceptedInPoll > 0;
      this.quota = acceptedAny ? this.quota * 2 : 1;
      this.pauseMs = acceptedAny ? FIRST_PAUSE_MS : Math.min(this.pauseMs * 2, MAX_PAUSE_MS);
      this.pause();
    });
  }

  private shedExcess(): void {
    const { load, means } = this;
    const excess = load.settled - means.settled;
    const now = this.parts.clock.now();
    const isStale = this.unansweredSince !== null && now - this.unansweredSince >= STALE_MS;
    if (isStale || excess < 1 || load.settled <= means.settled * 1.1) return void (this.excessSince = null);
    this.excessSince ??= now;
    if (now - this.excessSince < SHED_MS) return;
    this.excessSince = now;
    this.parts.shed(Math.min(Math.floor(excess), Math.ceil(load.settled / 10)));
  }
}
