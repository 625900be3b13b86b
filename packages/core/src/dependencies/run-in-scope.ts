import { type Awaitable, isPromise, mapAwaitable } from "../middleware/middleware.ts";
import type { Invocation } from "../invocation/invocation.ts";
import type { Container } from "./container.ts";
import type { InvocationScope } from "./invocation-scope.ts";
import type { Injected, Injections } from "./token.ts";

/**
 * Runs one invocation in its own scope: resolves injections, calls `work` with `Depends` enabled, disposes of the created values. The output follows the
 * disposal, and is synchronous when the work is and nothing needs disposal.
 */
export const runInScope = <I extends Injections | undefined, T>(
  container: Container,
  invocation: Invocation,
  inject: I,
  work: (dependencies: Injected<I>) => Awaitable<T>,
): Awaitable<T> => {
  const scope = container.open(invocation);
  const output = attempt(scope, inject, work);
  if (typeof output === "function") return mapAwaitable(scope.dispose(), () => output());
  // `finally` would create two more promises for each invocation.
  return output.then(
    (value) => mapAwaitable(scope.dispose(), () => value),
    (error: unknown) =>
      mapAwaitable(scope.dispose(), () => {
        throw error;
      }),
  );
};

/** Returns the outcome of a call; a synchronous one as a function that returns or throws it. */
const attempt = <I extends Injections | undefined, T>(
  scope: InvocationScope,
  inject: I,
  work: (dependencies: Injected<I>) => Awaitable<T>,
): Promise<T> | (() => T) => {
  try {
    const output = scope.call(inject, work);
    return isPromise(output) ? output : () => output;
  } catch (error) {
    return () => {
      throw error;
    };
  }
};
