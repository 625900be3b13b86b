/**
 * Where built-in middleware stands. The order of the `enableX` calls never changes the outcome, because each feature names its
 * stage; within a stage the order of the calls counts.
 */
export type Stage = OuterStage | InnerStage;

/** Stages that every request runs, unmatched paths, preflights and error replies included. */
export type OuterStage =
  | "telemetry"
  | "request-id"
  | "log"
  | "headers"
  | "compression"
  | "etag"
  | "body-limit"
  | "rate-limit"
  | "session"
  | "app";

/** Stages that only a matched route runs, after its guards. */
export type InnerStage = "cache" | "breaker";

/** Outermost first. `headers` holds security headers and CORS; `app` is where `app.use` puts its middleware. */
export const outerStages: readonly OuterStage[] = [
  "telemetry",
  "request-id",
  "log",
  "headers",
  "compression",
  "etag",
  "body-limit",
  "rate-limit",
  "session",
  "app",
];

/** Outermost first. */
export const innerStages: readonly InnerStage[] = ["cache", "breaker"];
