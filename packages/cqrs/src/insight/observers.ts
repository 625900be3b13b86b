import type { Awaitable } from "@framework/core";
import { isPromise } from "@framework/core/feature";
import type { OperationFailure } from "./operation-failure.ts";

/** Called with every failure of a command or query, except of a call that is refused because 10,000 are running. */
export type FailureObserver = (failure: OperationFailure) => Awaitable<void>;

/** Observers of failures. An observer that fails is logged and stays registered; it affects neither the others nor the call. */
export class FailureObservers {
  private readonly onError: (error: unknown) => void;
  private readonly observers = new Set<{ readonly observe: FailureObserver }>();

  constructor(onError: (error: unknown) => void) {
    this.onError = onError;
  }

  /** Adds an observer and returns a function that removes it. */
  add(observe: FailureObserver): () => void {
    const observer = { observe };
    this.observers.add(observer);
    return () => void this.observers.delete(observer);
  }

  notify(failure: OperationFailure): void {
    for (const { observe } of this.observers) {
      try {
        const result = observe(failure);
        if (isPromise(result)) result.catch(this.onError);
      } catch (error) {
        this.onError(error);
      }
    }
  }
}
