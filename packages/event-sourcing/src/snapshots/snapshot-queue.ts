/** Work that may be lost: it is done one after the other, the latest for each key, and dropped when the queue is full. */
export class SnapshotQueue {
  private readonly jobs = new Map<string, () => Promise<void>>();
  private readonly failed: (error: unknown) => void;
  private running: Promise<void> | null = null;
  private isClosed = false;

  /** @param failed receives the error of a job */
  constructor(failed: (error: unknown) => void) {
    this.failed = failed;
  }

  /** Adds a job, in place of a waiting one with the same key. */
  offer(key: string, job: () => Promise<void>): void {
    if (this.isClosed) return;
    this.jobs.delete(key);
    if (this.jobs.size >= MAX_JOBS) return;
    this.jobs.set(key, job);
    this.running ??= this.run();
  }

  /** Resolves when every job is done. */
  async idle(): Promise<void> {
    await this.running;
  }

  /** Takes no more jobs, and drops those that wait when the deadline aborts. */
  async close(deadline?: AbortSignal): Promise<void> {
    this.isClosed = true;
    const drop = (): void => this.jobs.clear();
    if (deadline?.aborted === true) drop();
    deadline?.addEventListener("abort", drop, { once: true });
    await this.running;
    deadline?.removeEventListener("abort", drop);
  }

  private async run(): Promise<void> {
    await Promise.resolve(); // the caller's work goes first
    for (const [key, job] of this.jobs) {
      this.jobs.delete(key);
      await job().catch(this.failed);
    }
    this.running = null;
  }
}

/** Most jobs that wait. Later ones are dropped: a snapshot only saves time. */
const MAX_JOBS = 1000;
