import { FrameworkError } from "../errors/framework-error.ts";

/** Maximum number of open scopes of features; a feature that never disposes of its scopes reaches it. */
export const MAX_OPEN_SCOPES = 100_000;

/** Creates the error for a scope above the maximum. */
export const tooManyScopes = (): FrameworkError =>
  new FrameworkError(
    "CORE_TOO_MANY_INVOCATIONS",
    `${MAX_OPEN_SCOPES} invocations are open; dispose of each scope, and limit the concurrent invocations`,
  );

/** Creates the error for a second scope of a request. */
export const requestHasScope = (): FrameworkError =>
  new FrameworkError("CORE_BAD_INVOCATION", "a request already has a scope: use request.scope");
