/**
 * Exempts a feature's route, such as a route for operators, from the app's `guards` (the route has its own), from `limits` on the rate of requests and
 * failures, or from `telemetry`, the log lines and metrics of requests.
 */
export type Exemption = "guards" | "limits" | "telemetry";

/** Option of routes that a feature adds. */
export interface ExemptOption {
  /** Exemptions of the route. @default [] */
  readonly exempt?: readonly Exemption[];
}
