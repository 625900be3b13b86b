import { type Awaitable, isPromise, mapAwaitable } from "../middleware/middleware.ts";
import type { Invocation } from "../invocation/invocation.ts";
import type { Container } from "./container.ts";
import type { InvocationScope } from "./invocation-scope.ts";
import type { Injected, Injections } from "./token.ts";

/**
 * Runs one invocation in a scope of its own: resolves injections, calls `work` with `Depends` open, disposes of what was made. The output follows the
 * disposal; it is there at once when nothing is asynchronous and nothing is to be disposed of.
 */
export const runInScope = <I extends Injections | undefined, T>(
  container: Container,
  invocation: Invocation,
  inject: I,
  work: (dependencies: Injected<I>) => Awaitable<T>,
): Awaitable<T> => {
  const scope = container.open(invocation);
  const output = attempt(scope, inject, work);
  if (typeof output !== "function") return output.finally(() => scope.dispose());
  return mapAwaitable(scope.dispose(), () => output());
};

/** The output of a call, as a function that gives or throws it when the call was synchronous. */
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
