import { FrameworkError } from "../errors/framework-error.ts";
import type { Logger } from "../log/logger.ts";
import type { Awaitable } from "../middleware/middleware.ts";
import { isLate } from "./deadline.ts";
import { byRank, type Ranked } from "./ranks.ts";

/** Reacts to the drain of the app; `deadline` aborts at the drain's deadline, when nothing waits for the result any more. */
export type DrainListener = (deadline: AbortSignal) => Awaitable<void>;

/**
 * Calls every listener at once, those of later features first. Resolves when all have settled or after `limitMs`.
 *
 * A failing listener is logged and does not delay the others. Resolves to whether all settled in time; logged if not.
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
  if (!(await isLate(Promise.all(calls), limitMs))) return true;
  log.error("the drain passed its deadline; drain listeners were still running");
  controller.abort(new FrameworkError("CORE_TASK_TIMEOUT", "the drain passed its deadline"));
  return false;
};
