import { FrameworkError } from "../errors/framework-error.ts";
import { type DescribedRequest, requestFields } from "../exchange/request-fields.ts";
import type { Awaitable } from "../middleware/middleware.ts";
import { timesOut } from "./deadline.ts";
import type { Logger } from "../log/logger.ts";

/** Maximum number of pending and running tasks. */
export const MAX_BACKGROUND_TASKS = 1000;

/** Runs tasks after a reply, in the order added; a failure is logged and does not stop the rest. */
export class BackgroundTasks {
  private pending = 0;
  private idle: PromiseWithResolvers<void> | null = null;
  private readonly log: Logger;

  constructor(log: Logger) {
    this.log = log;
  }

  /** Reserves a place for a task. @throws CORE_TOO_MANY_TASKS above `MAX_BACKGROUND_TASKS` */
  reserve(): void {
    if (this.pending >= MAX_BACKGROUND_TASKS) {
      throw new FrameworkError(
        "CORE_TOO_MANY_TASKS",
        `${MAX_BACKGROUND_TASKS} background tasks are pending already; use a queue for work that outgrows the process`,
      );
    }
    this.pending++;
  }

  /**
   * Removes reserved tasks from the list and runs them one after another, including tasks that are added during the run; calls `ended` when the list is empty.
   *
   * @param request described in the log lines of failed tasks
   */
  async run(tasks: (() => Awaitable<void>)[], request: DescribedRequest, ended: () => void): Promise<void> {
    for (let task = tasks.shift(); task !== undefined; task = tasks.shift()) {
      try {
        await task();
      } catch (error) {
        this.log.error("background task failed", { error, ...requestFields(request) });
      }
      this.pending--;
    }
    ended(); // synchronously: no task can be added to a list that is no longer run
    if (this.pending === 0) this.idle?.resolve();
  }

  /** Waits until no task is pending or running, at most `limitMs`; then logs the number of remaining tasks. Resolves to whether all ended in time. */
  async untilIdle(limitMs: number): Promise<boolean> {
    if (this.pending === 0) return true;
    this.idle ??= Promise.withResolvers<void>();
    if (!(await timesOut(this.idle.promise, limitMs))) return true;
    this.log.error("the drain passed its deadline; background tasks were still running or waiting", {
      tasks: this.pending,
    });
    return false;
  }
}
