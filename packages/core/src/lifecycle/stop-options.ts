/** Options of `app.stop`. */
export interface StopOptions {
  /** Seconds that drain listeners and calls of `fetch` have until stop tasks run without them. @default 30 */
  readonly timeoutSecs?: number;
}

/** Default of `StopOptions.timeoutSecs`. */
export const DRAIN_SECS = 30;
