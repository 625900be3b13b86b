import { FrameworkError } from "@framework/core";
import type { Outcome } from "../messages.ts";

const TIMEOUT_MS = 30_000;

/** Calls that await the outcome from another worker. */
export class PendingCalls {
  private readonly waiting: Map<string, (outcome: Outcome) => void> = new Map();
  private count = 0;

  /**
   * Sends a call with its id, and resolves with its outcome.
   *
   * @throws DEVTOOLS_NO_ACTION when `send` returns false; DEVTOOLS_NO_ANSWER after 30 s
   */
  async start(worker: string, send: (id: string) => boolean): Promise<Outcome> {
    const id = `${worker}-${++this.count}`;
    if (!send(id)) throw new FrameworkError("DEVTOOLS_NO_ACTION", "the texts of the action are too long");
    const { promise, resolve, reject } = Promise.withResolvers<Outcome>();
    const timer = setTimeout(() => {
      this.waiting.delete(id);
      reject(new FrameworkError("DEVTOOLS_NO_ANSWER", "the worker did not respond within 30 seconds"));
    }, TIMEOUT_MS);
    timer.unref();
    this.waiting.set(id, (outcome) => {
      clearTimeout(timer);
      this.waiting.delete(id);
      resolve(outcome);
    });
    return await promise;
  }

  /** Resolves a call of this worker; ids of other workers are ignored. */
  resolve(id: string, outcome: Outcome): void {
    this.waiting.get(id)?.(outcome);
  }
}
