import { SWEEP_MS } from "../hub/connection-hub.ts";
import { BodyRate } from "../wire/body-rate.ts";
import type { TimeoutConfig } from "../../config/timeout-config.ts";

/** Progress of a connection's input. */
export interface InputProgress {
  /** Whether a message has begun and not ended. Without a body in progress, this means that a head is incomplete. */
  readonly headBegan: boolean;
  /** Bytes of bodies so far, without the framing of chunked bodies. */
  readonly bodyBytes: number;
}

/** Detects slow heads, slow bodies and idle connections, without a timer or listener for each request. Its deadlines are checked once a second. */
export class NodeWatch {
  private readonly progress: InputProgress;
  private readonly timeouts: TimeoutConfig;
  private idleSince: number;
  /** Time of the first sweep after the start of an incomplete head; `null` for none. */
  private headSince: number | null;
  private lastTick: number;
  /** Milliseconds between the last two ticks. */
  private elapsed = 0;
  private readonly body: BodyRate;

  constructor(progress: InputProgress, timeouts: TimeoutConfig, now: number, headSince: number | null) {
    this.progress = progress;
    this.timeouts = timeouts;
    this.idleSince = now;
    this.headSince = headSince;
    this.lastTick = now;
    this.body = new BodyRate(timeouts.readBodySecs);
  }

  /** Starts the idle timeout: no request is in progress. */
  becameIdle(now: number): void {
    this.idleSince = now;
    this.headSince = null;
  }

  /** Starts the timeout of a body, after a complete head. */
  headComplete(): void {
    this.headSince = null;
    this.body.begin();
  }

  /** Measures the time since the last check; called before each check of the deadlines. */
  tick(now: number): void {
    this.elapsed = now - this.lastTick;
    this.lastTick = now;
  }

  /** State of a connection without a complete head. */
  headState(now: number): "in time" | "slow" | "idle too long" {
    if (!this.progress.headBegan) {
      return now - this.idleSince >= this.timeouts.idleSecs * 1000 + SWEEP_MS ? "idle too long" : "in time";
    }
    this.headSince ??= now;
    return now - this.headSince >= this.timeouts.readHeaderSecs * 1000 ? "slow" : "in time";
  }

  /** Whether a body arrives too slowly. Time without a waiting reader does not count. */
  bodyTooSlow(): boolean {
    return this.body.checkTooSlow(this.progress.bodyBytes, this.elapsed);
  }
}
