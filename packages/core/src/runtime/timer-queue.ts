interface Timer {
  dueAt: number;
  /** Sequence number of the registration; an interval registers again after each call, as in Node. */
  order: number;
  readonly run: () => void;
  readonly everyMs: number | null;
  isCleared: boolean;
}

/** The time and timers of a virtual clock. Timers fire by time, then by order of registration. */
export class TimerQueue {
  now: number;
  private readonly waiting: Set<Timer> = new Set();
  private registrations = 0;

  constructor(now: number) {
    this.now = now;
  }

  get size(): number {
    return this.waiting.size;
  }

  /** Adds a timer. Returns a function that removes it, which may also be called while it fires. */
  add(run: () => void, delayMs: number, repeats: boolean): () => void {
    const delay = nodeDelay(delayMs);
    const timer: Timer = {
      dueAt: this.now + delay,
      order: this.registrations++,
      run,
      everyMs: repeats ? delay : null,
      isCleared: false,
    };
    this.waiting.add(timer);
    return () => {
      timer.isCleared = true;
      this.waiting.delete(timer);
    };
  }

  hasDue(end: number): boolean {
    const next = this.earliest();
    return next !== undefined && next.dueAt <= end;
  }

  /** Advances to the earliest timer and calls it. @throws the timer's error; an interval continues */
  fireNext(): void {
    const timer = this.earliest();
    if (timer === undefined) return;
    this.waiting.delete(timer);
    this.now = timer.dueAt;
    try {
      timer.run();
    } finally {
      if (timer.everyMs !== null && !timer.isCleared) this.repeat(timer, timer.everyMs);
    }
  }

  advanceTo(end: number): void {
    if (end < Infinity) this.now = end;
  }

  private repeat(timer: Timer, everyMs: number): void {
    timer.dueAt = this.now + everyMs;
    timer.order = this.registrations++;
    this.waiting.add(timer);
  }

  private earliest(): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of this.waiting) {
      if (
        first === undefined ||
        timer.dueAt < first.dueAt ||
        (timer.dueAt === first.dueAt && timer.order < first.order)
      ) {
        first = timer;
      }
    }
    return first;
  }
}

/** Returns the delay that Node uses: at least 1 ms; a delay above 2³¹ − 1 ms becomes 1 ms. */
const nodeDelay = (delayMs: number): number =>
  delayMs >= 1 && delayMs <= 2 ** 31 - 1 ? Math.trunc(delayMs) : 1;
