/**
 * Coalesces calls of an asynchronous function: one runs at a time, and concurrent callers share the next one. A caller never gets a run that started before its
 * call, because that run may have missed the caller's last write.
 */
export class SingleFlight<T> {
  private readonly task: () => Promise<T>;
  private running: Promise<T> | null = null;
  private queued: Promise<T> | null = null;

  constructor(task: () => Promise<T>) {
    this.task = task;
  }

  run(): Promise<T> {
    if (this.queued !== null) return this.queued; // even if the run before it has just ended
    if (this.running === null) return this.start();
    this.queued = this.running.then(
      () => this.startNext(),
      () => this.startNext(),
    );
    return this.queued;
  }

  private startNext(): Promise<T> {
    this.queued = null;
    return this.start();
  }

  private start(): Promise<T> {
    const running = this.task().finally(() => {
      if (this.running === running) this.running = null;
    });
    this.running = running;
    return running;
  }
}
