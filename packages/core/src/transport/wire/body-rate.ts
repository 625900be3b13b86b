/** Minimum rate of a body in bytes a second, over windows of five seconds. */
const BODY_RATE = 1024;
const BODY_WINDOW_SECS = 5;

/** Detects a request's body that arrives too slowly for its reader: `readBodySecs`, and longer only while at least 1 KiB/s of it arrives. */
export class BodyRate {
  private readonly limitMs: number;
  private waited = 0;
  private deadline = 0;
  private mark = 0;
  private markWaited = 0;

  constructor(readBodySecs: number) {
    this.limitMs = readBodySecs * 1000;
  }

  /** Starts the clock of a body, after a complete head. */
  begin(): void {
    this.waited = 0;
    this.deadline = 0;
  }

  /**
   * Called once a second while a reader waits.
   *
   * @param bytes received so far
   * @param elapsedMs since the last call
   */
  isTooSlow(bytes: number, elapsedMs: number): boolean {
    if (this.deadline === 0) {
      this.deadline = this.limitMs;
      this.setMark(bytes);
      return false;
    }
    this.waited += elapsedMs;
    if (this.waited < this.deadline) return false;
    const needed = (BODY_RATE * (this.waited - this.markWaited)) / 1000;
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
