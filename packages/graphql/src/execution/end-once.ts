import type { OperationScope } from "../context/operation-scope.ts";

/** Source, scope and signal of a subscription. */
interface SubscriptionParts {
  readonly source: AsyncIterator<unknown>;
  readonly scope: OperationScope;
  readonly signal: AbortSignal;
}

/** Returns a function that closes the source and the scope once; an abort also calls it, because graphql-ws may never read the events. */
export const endOnce = ({ source, scope, signal }: SubscriptionParts): (() => void) => {
  const end = (): void => {
    signal.removeEventListener("abort", end);
    if (isEnded) return;
    isEnded = true;
    // Not awaited: a generator that waits for its next event ends only after that event, unless it uses `context.signal`.
    void close(source);
    scope.end();
  };
  let isEnded = false;
  if (signal.aborted) end();
  else signal.addEventListener("abort", end);
  return end;
};

/** Closes the source of a subscription. Ignores a failure, because no client waits for it. */
const close = async (source: AsyncIterator<unknown>): Promise<void> => {
  try {
    await source.return?.();
  } catch {
    // the subscription has ended
  }
};
