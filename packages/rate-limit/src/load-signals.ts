/** Number of seconds for which outcomes are kept. */
const MAX_SECONDS = 10;

interface Second {
  requests: number;
  failures: number;
  /** Number of requests with a latency; `latencyMs` is the sum of their latencies. */
  timed: number;
  latencyMs: number;
}

const emptySecond = (): Second => ({ requests: 0, failures: 0, timed: 0, latencyMs: 0 });

/**
 * Load signals from a limit's requests: admissions per second, latency, and failures over ten seconds.
 *
 * With fewer than `minSamples` requests, latency and failures are reported as 0: in a quiet service, one failure may be the only request.
 */
export class LoadSignals {
  private readonly minSamples: number;
  private current: Second = emptySecond();
  private admittedCount = 0;
  /** The last seconds, newest first. */
  private readonly past: Second[] = [];

  constructor(minSamples: number) {
    this.minSamples = minSamples;
  }

  recordAdmission(): void {
    this.admittedCount++;
  }

  /** @param latencyMs `null` for a stream, whose duration depends on the client */
  recordOutcome(latencyMs: number | null, isFailure: boolean): void {
    const { current } = this;
    current.requests++;
    if (isFailure) current.failures++;
    if (latencyMs === null) return;
    current.timed++;
    current.latencyMs += latencyMs;
  }

  /** Returns the signals of the ending second and starts the next. */
  endSecond(): { readonly admitted: number; readonly latencyMs: number; readonly errorShare: number } {
    this.past.unshift(this.current);
    if (this.past.length > MAX_SECONDS) this.past.pop();
    const ended = {
      admitted: this.admittedCount,
      latencyMs: this.current.timed === 0 ? 0 : this.recentLatency(),
      errorShare: this.errorShare(),
    };
    this.current = emptySecond();
    this.admittedCount = 0;
    return ended;
  }

  /** Mean latency of the last second, extended by earlier seconds until there are `minSamples` requests; 0 if the last ten have fewer. */
  private recentLatency(): number {
    let timed = 0;
    let latencyMs = 0;
    for (const second of this.past) {
      timed += second.timed;
      latencyMs += second.latencyMs;
      if (timed >= this.minSamples) return latencyMs / timed;
    }
    return 0;
  }

  private errorShare(): number {
    const requests = this.past.reduce((sum, second) => sum + second.requests, 0);
    const failures = this.past.reduce((sum, second) => sum + second.failures, 0);
    return requests < this.minSamples ? 0 : failures / requests;
  }
}
