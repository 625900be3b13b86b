import type { Middleware } from "../middleware/middleware.ts";
import type { HttpRequest } from "../request/http-request.ts";
import type { Response } from "../response/response.ts";

/**
 * Position of built-in middleware. The order of the `enableX` calls never matters, because each feature names its
 * stage; within a stage, the order of the calls counts.
 */
export type Stage = OuterStage | InnerStage;

/** Stages that every request runs, including unmatched paths, preflights and error replies. */
export type OuterStage =
  | "telemetry"
  | "request-id"
  | "log"
  | "headers"
  | "compression"
  | "etag"
  | "rate-limit"
  | "body-limit"
  | "session"
  | "csrf"
  | "app";

/** Stages of matched routes only, after their guards. */
export type InnerStage = "identity" | "cache" | "breaker" | "fault";

/**
 * Outermost first. `request-id` also holds security headers, and `headers` CORS; `rate-limit` precedes `body-limit`, so requests with rejected bodies count;
 * `csrf` checks the session that `session` found; `app` is the stage of `app.use`.
 */
export const outerStages: readonly OuterStage[] = [
  "telemetry",
  "request-id",
  "log",
  "headers",
  "compression",
  "etag",
  "rate-limit",
  "body-limit",
  "session",
  "csrf",
  "app",
];

/** The stages that also run for messages that the transport rejects, because they mark or record every reply. Outermost first. */
export const refusalStages: readonly OuterStage[] = ["telemetry", "request-id", "log", "headers"];

/** Outermost first. `identity` is for checks of the caller that authentication found, `fault` for injected failures. */
export const innerStages: readonly InnerStage[] = ["identity", "cache", "breaker", "fault"];

/** The middleware of each stage, in the order added. */
export type Stages = ReadonlyMap<Stage, readonly Middleware<HttpRequest, Response>[]>;
