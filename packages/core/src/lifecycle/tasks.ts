import { FrameworkError } from "../errors/framework-error.ts";
import type { Awaitable } from "../middleware/middleware.ts";
import type { AppSettings } from "./app-settings.ts";
import type { Logger } from "../log/logger.ts";

/** Work at start or stop; a function's name, or `name`, appears in messages. */
export interface Task {
  readonly name?: string;
  run(settings: AppSettings): Awaitable<void>;
  /** Limit in seconds. @default 60 at start, 10 at stop */
  readonly timeoutSecs?: number;
}

/** A task from either form; a function's name names it. */
export const toTask = (task: Task | Task["run"]): Task =>
  typeof task === "function" ? { name: task.name, run: task } : task;

/** Seconds that one start task may take. */
export const START_TASK_SECS = 60;
/** Seconds that one stop task may take. */
export const STOP_TASK_SECS = 10;

/** Runs start tasks in order. @throws CORE_START_TASK with the task's error as cause; the tasks after it do not run */
export const runStartTasks = async (tasks: readonly Task[], settings: AppSettings): Promise<void> => {
  for (const task of tasks) {
    try {
      await bounded(task, settings, task.timeoutSecs ?? START_TASK_SECS);
    } catch (cause) {
      const reason = Error.isError(cause) ? cause.message : String(cause);
      throw new FrameworkError("CORE_START_TASK", `startup task "${nameOf(task)}" failed: ${reason}`, {
        cause,
      });
    }
  }
};

/** Runs stop tasks in reverse and always to the end; a failure is logged and the rest run. Returns how many failed. */
export const runStopTasks = async (
  tasks: readonly Task[],
  settings: AppSettings,
  log: Logger,
): Promise<number> => {
  let failed = 0;
  for (const task of tasks.toReversed()) {
    try {
      await bounded(task, settings, task.timeoutSecs ?? STOP_TASK_SECS);
    } catch (error) {
      failed++;
      log.error(`shutdown task "${nameOf(task)}" failed`, { error });
    }
  }
  return failed;
};

const nameOf = (task: Task): string => task.name ?? "(anonymous)";

const bounded = async (task: Task, settings: AppSettings, limitSecs: number): Promise<void> => {
  const { promise: expired, reject } = Promise.withResolvers<never>();
  const late = () => reject(new FrameworkError("CORE_TASK_TIMEOUT", `still running after ${limitSecs} s`));
  const timer = setTimeout(late, limitSecs * 1000);
  try {
    await Promise.race([task.run(settings), expired]);
  } finally {
    clearTimeout(timer);
  }
};
