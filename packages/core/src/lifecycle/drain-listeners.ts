import { FrameworkError } from "../errors/framework-error.ts";
import type { Logger } from "../log/logger.ts";
import type { Awaitable } from "../middleware/middleware.ts";
import { timesOut } from "./deadline.ts";
import { byRank, type Ranked } from "./ranks.ts";

/** Called when the app begins to drain. `deadline` aborts at the drain's deadline, after which the result is ignored. */
export type DrainListener = (deadline: AbortSignal) => Awaitable<void>;

/**
 * Calls all listeners concurrently, beginning with the listeners of later features. Resolves when all have settled or after `limitMs`.
 *
 * A failing listener is logged and does not delay the others. Resolves to whether all settled in time; a timeout is logged.
 */
export const callDrainListeners = async (
  listeners: readonly Ranked<DrainListener>[],
  limitMs: number,
  log: Logger,
): Promise<boolean> => {
  if (listeners.length === 0) return true;
  const controller = new AbortController();
  const call = async (listener: DrainListener): Promise<void> => {
    try {
      await listener(controller.signal);
    } catch (error) {
      log.error("a drain listener failed", { error });
    }
  };
  const calls = byRank(listeners)
    .toReversed()
    .map(({ item }) => call(item));
  if (!(await timesOut(Promise.all(calls), limitMs))) return true;
  log.error("the drain passed its deadline; drain listeners were still running");
  controller.abort(new FrameworkError("CORE_TASK_TIMEOUT", "the drain passed its deadline"));
  return false;
};
