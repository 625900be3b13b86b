/**
 * Exempts a feature's route, such as one for operators, from the app's `guards` (the route has its own), from `limits` on how often
 * routes are called and fail, or from `telemetry`, the log lines and metrics of requests.
 */
export type Exemption = "guards" | "limits" | "telemetry";

/** Option of the routes that features add. */
export interface ExemptOption {
  /** @default [] */
  readonly exempt?: readonly Exemption[];
}
