/** A transaction whose last use is watched. */
export interface Idler {
  /** When it was last used, in milliseconds of `performance.now()`. */
  readonly usedAt: number;
  /** Called when that was too long ago. */
  expire(): void;
}

/**
 * Ends what was not used for too long, at most a millisecond early.
 *
 * One timer serves all: short transactions then start and clear none, which cost some 5 % of an append on SQLite. The timer runs on for one period after
 * the last transaction, and keeps no process alive.
 */
export class IdleLimit {
  readonly idleMs: number;
  private readonly open = new Set<Idler>();
  private timer: NodeJS.Timeout | null = null;

  constructor(idleMs: number) {
    this.idleMs = idleMs;
  }

  add(idler: Idler): void {
    this.open.add(idler);
    this.timer ??= setTimeout(() => this.look(), this.idleMs).unref();
  }

  remove(idler: Idler): void {
    this.open.delete(idler);
  }

  private look(): void {
    this.timer = null;
    const now = performance.now();
    let nextMs = this.idleMs;
    for (const idler of this.open) {
      const leftMs = idler.usedAt + this.idleMs - now;
      if (leftMs < 1) idler.expire();
      else nextMs = Math.min(nextMs, leftMs);
    }
    if (this.open.size > 0) this.timer = setTimeout(() => this.look(), nextMs).unref();
  }
}
