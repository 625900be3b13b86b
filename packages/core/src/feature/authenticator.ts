import type { Invocation } from "../invocation/invocation.ts";
import type { Awaitable } from "../middleware/middleware.ts";
import type { Host } from "./host.ts";

/**
 * Identifies callers over any protocol, such as `JwtAuth` of `@framework/auth`. A feature with its own entry point takes one as an option,
 * passes it to `host.life.install`, and calls `identify` for each invocation before its guards.
 */
export interface Authenticator {
  /** Sets the caller in the context. @throws UnauthorizedError 401 for missing, invalid or expired credentials */
  identify(invocation: Invocation): Awaitable<void>;
  /** Called once per app, for start tasks, metrics and configuration problems. */
  install?(host: Host): void;
}
