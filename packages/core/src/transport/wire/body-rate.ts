/** Minimum rate of a body in bytes per second, measured over windows of five seconds. */
const MIN_BYTES_PER_SEC = 1024;
const BODY_WINDOW_SECS = 5;

/** Detects slow request bodies: a reader may wait `readBodySecs`, and longer only while at least 1 KiB/s arrives. */
export class BodyRate {
  private readonly limitMs: number;
  private waited = 0;
  private deadline = 0;
  private mark = 0;
  private markWaited = 0;

  constructor(readBodySecs: number) {
    this.limitMs = readBodySecs * 1000;
  }

  /** Starts the timeout of a body, after a complete head. */
  begin(): void {
    this.waited = 0;
    this.deadline = 0;
  }

  /**
   * Returns whether the body must be aborted. Must be called once a second while a reader waits.
   *
   * @param bytes received so far
   * @param elapsedMs since the last call
   */
  checkTooSlow(bytes: number, elapsedMs: number): boolean {
    if (this.deadline === 0) {
      this.deadline = this.limitMs;
      this.setMark(bytes);
      return false;
    }
    this.waited += elapsedMs;
    if (this.waited < this.deadline) return false;
    const needed = (MIN_BYTES_PER_SEC * (this.waited - this.markWaited)) / 1000;
    if (bytes - this.mark < needed) return true;
    this.setMark(bytes);
    this.deadline = this.waited + BODY_WINDOW_SECS * 1000;
    return false;
  }

  private setMark(bytes: number): void {
    this.mark = bytes;
    this.markWaited = this.waited;
  }
}
