/** Queue of optional jobs: they run one at a time, a newer job replaces a waiting one with the same key, and a full queue drops new jobs. */
export class SnapshotQueue {
  private readonly jobs = new Map<string, () => Promise<void>>();
  private running: Promise<void> | null = null;
  private isClosed = false;

  /**
   * Adds a job. It replaces a waiting one with the same key.
   *
   * @param onError receives the error of the job
   */
  offer(key: string, job: () => Promise<void>, onError: (error: unknown) => void): void {
    if (this.isClosed) return;
    this.jobs.delete(key);
    if (this.jobs.size >= MAX_JOBS) return;
    this.jobs.set(key, () => job().catch(onError));
    this.running ??= this.run();
  }

  /** Resolves when all jobs have run. */
  async idle(): Promise<void> {
    await this.running;
  }

  /** Accepts no more jobs; resolves when the waiting ones have run. Drops them when the deadline aborts. */
  async close(deadline?: AbortSignal): Promise<void> {
    this.isClosed = true;
    const drop = (): void => this.jobs.clear();
    if (deadline?.aborted === true) drop();
    deadline?.addEventListener("abort", drop, { once: true });
    await this.running;
    deadline?.removeEventListener("abort", drop);
  }

  private async run(): Promise<void> {
    await Promise.resolve(); // let the caller continue first
    for (const [key, job] of this.jobs) {
      this.jobs.delete(key);
      await job();
    }
    this.running = null;
  }
}

/** Maximum number of waiting jobs. Further ones are dropped: snapshots are optional. */
const MAX_JOBS = 1000;
