/** Seconds of the window for the share of failures. */
const SECONDS = 10;

interface Second {
  requests: number;
  failures: number;
}

/** Load signals from a limit's requests: latency and admissions per second, failures over ten seconds. */
export class LoadSignals {
  private latencyMs = 0;
  private requests = 0;
  private failures = 0;
  private admittedCount = 0;
  private readonly past: Second[] = [];

  admitted(): void {
    this.admittedCount++;
  }

  answered(latencyMs: number, status: number): void {
    this.latencyMs += latencyMs;
    this.requests++;
    if (status >= 500) this.failures++;
  }

  /** Returns the signals of the ending second and starts the next. */
  endSecond(): { readonly admitted: number; readonly latencyMs: number; readonly errorShare: number } {
    const latencyMs = this.requests === 0 ? 0 : this.latencyMs / this.requests;
    this.past.push({ requests: this.requests, failures: this.failures });
    if (this.past.length > SECONDS) this.past.shift();
    const requests = this.past.reduce((sum, second) => sum + second.requests, 0);
    const failures = this.past.reduce((sum, second) => sum + second.failures, 0);
    const ended = {
      admitted: this.admittedCount,
      latencyMs,
      errorShare: requests === 0 ? 0 : failures / requests,
    };
    this.latencyMs = this.requests = this.failures = this.admittedCount = 0;
    return ended;
  }
}
