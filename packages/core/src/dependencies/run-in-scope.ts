import { type Awaitable, isPromise, mapAwaitable } from "../middleware/middleware.ts";
import type { Invocation } from "../invocation/invocation.ts";
import type { Container } from "./container.ts";
import type { InvocationScope } from "./invocation-scope.ts";
import type { InjectedValues, Injections } from "./token.ts";

/**
 * Runs one invocation in its own scope: resolves injections, calls `work` with `Depends` enabled, disposes of the created values. The output is
 * returned after the disposal, and synchronously if the factories and `work` are synchronous and nothing needs disposal.
 */
export const runInScope = <I extends Injections | undefined, T>(
  container: Container,
  invocation: Invocation,
  inject: I,
  work: (dependencies: InjectedValues<I>) => Awaitable<T>,
): Awaitable<T> => {
  const scope = container.open(invocation);
  let output: Awaitable<T>;
  try {
    output = scope.call(inject, work);
  } catch (error) {
    return failAfter(scope.dispose(), error);
  }
  if (isPromise(output)) return endAfter(output, scope);
  const disposed = scope.dispose();
  return isPromise(disposed) ? outputAfter(disposed, output) : output; // `outputAfter` holds the closure, since most calls do not wait
};

const endAfter = <T>(output: Promise<T>, scope: InvocationScope): Promise<T> =>
  // `finally` would create two more promises for each invocation.
  output.then(
    (value) => mapAwaitable(scope.dispose(), () => value),
    (error: unknown) => failAfter(scope.dispose(), error),
  );

const outputAfter = async <T>(disposed: Promise<void>, output: T): Promise<T> => {
  await disposed;
  return output;
};

/** Throws the error, synchronously or after the disposal. */
const failAfter = (disposed: Awaitable<void>, error: unknown): Promise<never> => {
  if (!isPromise(disposed)) throw error;
  return disposed.then(() => {
    throw error;
  });
};
