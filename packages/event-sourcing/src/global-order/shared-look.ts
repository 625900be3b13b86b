/**
 * Shares a look among callers: one runs at a time, and a caller gets one that began after its call, because an earlier one may have missed what the
 * caller has just written.
 */
export class SharedLook<T> {
  private readonly look: () => Promise<T>;
  private running: Promise<T> | null = null;
  private next: Promise<T> | null = null;

  constructor(look: () => Promise<T>) {
    this.look = look;
  }

  get(): Promise<T> {
    if (this.next !== null) return this.next; // also when the look before it has just ended
    if (this.running === null) return this.start();
    this.next = this.running.then(
      () => this.startNext(),
      () => this.startNext(),
    );
    return this.next;
  }

  private startNext(): Promise<T> {
    this.next = null;
    return this.start();
  }

  private start(): Promise<T> {
    const running = this.look().finally(() => {
      if (this.running === running) this.running = null;
    });
    this.running = running;
    return running;
  }
}
