import { type VirtualClock, virtualClock } from "../../runtime/virtual-clock.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Load, ToWorker } from "../workers/messages.ts";
import { Share } from "../workers/share.ts";
import { createMeanLoads, type MeanLoads } from "../workers/mean-loads.ts";

/** Duration of a turn of an event loop in milliseconds; a worker accepts one connection in each turn. */
const TURN_MS = 1;

/** A model of workers that accept from one queue, on a virtual clock, with their shares and the mean loads of the primary. */
export class SharedQueue {
  readonly clock: VirtualClock = virtualClock();
  readonly workers: readonly ModelWorker[];
  private readonly meanLoads: MeanLoads;
  private turns = 0;
  private pending = 0;
  private isTurnDue = false;

  /** @param isMute whether the primary announces no mean loads */
  constructor(workers: number, { isMute = false }: { readonly isMute?: boolean } = {}) {
    this.meanLoads = isMute ? { report: () => {}, remove: () => {} } : createMeanLoads(this.clock);
    this.workers = Array.from({ length: workers }, () => new ModelWorker(this, this.meanLoads));
  }

  /** Connections that no worker has accepted. */
  get waiting(): number {
    return this.pending;
  }

  set waiting(count: number) {
    this.pending = count;
    this.scheduleTurn();
  }

  /** Schedules a turn of the event loops if there is work: simulating a minute of idle turns would take a second. */
  scheduleTurn(): void {
    if (this.isTurnDue) return;
    this.isTurnDue = true;
    this.clock.after(TURN_MS, () => this.turn());
  }

  /** Runs one turn of every worker; each turn begins with another worker. */
  private turn(): void {
    this.isTurnDue = false;
    const first = this.turns++ % this.workers.length;
    for (const worker of [...this.workers.slice(first), ...this.workers.slice(0, first)]) worker.turn();
    if (this.pending > 0) this.scheduleTurn();
  }
}

/** A worker whose clients keep their connections open, and open a new connection for each that the worker sheds. */
export class ModelWorker {
  open = 0;
  /** Connections accepted so far. */
  accepted = 0;
  /** Connections shed so far. */
  shedConnections = 0;
  readonly reports: Load[] = [];
  readonly share: Share;
  private readonly queue: SharedQueue;
  private isPaused = false;
  private isBlocked = false;
  /** Timers and messages that wait while the loop is blocked. */
  private backlog: (() => void)[] = [];
  private afterTurn: (() => void)[] = [];

  constructor(queue: SharedQueue, meanLoads: MeanLoads) {
    this.queue = queue;
    const recipient = {
      send: (message: ToWorker) => {
        if (message["@framework"] === "mean") this.run(() => this.share.updateMeans(message.means));
      },
    };
    this.share = new Share({
      connections: () => this.open,
      pause: () => void (this.isPaused = true),
      resume: () => void (this.isPaused = false),
      shed: (count) => this.shed(count),
      report: (load) => {
        this.reports.push(load);
        meanLoads.report(recipient, load);
      },
      afterTurn: (call) => {
        this.afterTurn.push(call);
        queue.scheduleTurn();
      },
      clock: this.ownClock(queue.clock),
    });
  }

  /** Blocks the event loop. */
  block(): void {
    this.isBlocked = true;
  }

  unblock(): void {
    this.isBlocked = false;
    this.queue.scheduleTurn();
    for (const task of this.backlog.splice(0)) task();
  }

  /** Simulates that clients close connections. */
  lose(count: number): void {
    this.open -= Math.min(count, this.open);
  }

  /** Runs one turn of the event loop. */
  turn(): void {
    if (this.isBlocked) return;
    const calls = this.afterTurn;
    this.afterTurn = [];
    if (!this.isPaused && this.queue.waiting > 0) {
      this.queue.waiting--;
      this.open++;
      this.accepted++;
      this.share.accepted();
    }
    for (const call of calls) call();
  }

  private shed(count: number): void {
    this.open -= count;
    this.shedConnections += count;
    this.queue.waiting += count;
  }

  private run(task: () => void): void {
    if (this.isBlocked) this.backlog.push(task);
    else task();
  }

  /** The clock of a process whose timers wait while its loop is blocked. */
  private ownClock(clock: Clock): Clock {
    return {
      ...clock,
      after: (delayMs, task) => {
        let isCancelled = false;
        const cancel = clock.after(delayMs, () =>
          this.run(() => {
            if (!isCancelled) task();
          }),
        );
        return () => {
          isCancelled = true;
          cancel();
        };
      },
    };
  }
}
