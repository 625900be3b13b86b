import type { Invocation } from "../invocation/invocation.ts";
import type { Awaitable } from "../middleware/middleware.ts";
import type { Host } from "./host.ts";

/**
 * Identifies callers at any door, as `JwtAuth` and the others of `@framework/auth` do: the option by which a feature with a door of its own takes an
 * authentication. The feature gives it to `host.life.install`, calls `identify` for each invocation, and then its guards.
 */
export interface Authenticator {
  /** Sets the caller in the context. @throws UnauthorizedError 401 for missing, bad or expired credentials */
  identify(invocation: Invocation): Awaitable<void>;
  /** Called once per app, for start tasks, metrics and configuration problems. */
  install?(host: Host): void;
}
