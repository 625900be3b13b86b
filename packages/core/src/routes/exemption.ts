/**
 * What does not apply to a route that a feature adds for operators or readers: the `guards` of the app (the route has its own); `limits` on how often
 * routes are called and how often they fail; `telemetry`, the log lines and metrics of requests.
 */
export type Exemption = "guards" | "limits" | "telemetry";

/** The option of routes that features add. */
export interface ExemptOption {
  /** @default [] */
  readonly exempt?: readonly Exemption[];
}
