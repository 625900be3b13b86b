/**
 * Exempts a feature's route, such as one for operators, from the app's `guards` (the route has its own), from `limits` on the frequency
 * of requests and failures, or from `telemetry`, the log lines and metrics of requests.
 */
export type Exemption = "guards" | "limits" | "telemetry";

/** Option of routes that features add. */
export interface ExemptOption {
  /** What the route is exempt from. @default [] */
  readonly exempt?: readonly Exemption[];
}
