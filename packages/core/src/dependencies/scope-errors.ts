import { FrameworkError } from "../errors/framework-error.ts";

/** Bound on the scopes that features have open at once; it reveals a feature that never disposes of them. */
export const MAX_OPEN_SCOPES = 100_000;

/** Creates the error for a scope above the bound. */
export const tooManyScopes = (): FrameworkError =>
  new FrameworkError(
    "CORE_TOO_MANY_INVOCATIONS",
    `${MAX_OPEN_SCOPES} invocations are open; dispose of each scope, and limit how many run at once`,
  );

/** Creates the error for a second scope of a request. */
export const requestHasScope = (): FrameworkError =>
  new FrameworkError("CORE_BAD_INVOCATION", "a request has a scope of its own: use request.scope");
