import { FrameworkError } from "../errors/framework-error.ts";
import type { Awaitable } from "../middleware/middleware.ts";
import { messageOf } from "../log/value-text.ts";
import type { AppSettings } from "./app-settings.ts";
import { byRank, type Ranked } from "./ranks.ts";
import { publishTaskTime } from "./task-times.ts";

/** Work in one phase of an app's life. */
export interface Task {
  /** Name in messages. @default the name of the function */
  readonly name?: string;
  /** Does the work. `signal` aborts at the timeout, and when the app is stopped during its start. */
  run(settings: AppSettings, signal: AbortSignal): Awaitable<void>;
  /** Timeout in seconds, a day at most. @default 60 at start and when listening, 10 at stop */
  readonly timeoutSecs?: number;
}

/** Converts either form to a task; a function's name becomes the task's name. */
export const toTask = (task: Task | Task["run"]): Task =>
  typeof task === "function" ? { name: task.name, run: task } : task;

/** Returns the mistake in a task; `null` for a valid task. */
export const taskProblem = (task: Task): string | null => {
  const { timeoutSecs = STOP_TASK_SECS } = task;
  return timeoutSecs > 0 && timeoutSecs <= 86_400
    ? null
    : `timeoutSecs of the task "${nameOf(task)}" must be above 0 and at most 86400, not ${String(timeoutSecs)}`;
};

/** Default timeout of one start or listening task, in seconds. */
export const START_TASK_SECS = 60;
/** Default timeout of one stop task, in seconds. */
export const STOP_TASK_SECS = 10;
/** Milliseconds that a start task may take to end after the app was stopped and its signal aborted. */
export const STOPPED_TASK_GRACE_MS = 1000;

/** Options for tasks that must all succeed. */
export interface TaskRun {
  readonly settings: AppSettings;
  /** The phase in error messages, such as `startup`. */
  readonly phase: string;
  /** Aborts when the app is stopped during its start. */
  readonly stopSignal: AbortSignal;
  /** Called with the rank of each task before it runs. */
  readonly onBegin?: (rank: number) => void;
}

/**
 * Runs tasks in the order of their ranks.
 *
 * @throws CORE_START_TASK with the task's error as cause; the reason of `stopSignal` when that aborts. Later tasks do not run.
 */
export const runStartTasks = async (tasks: readonly Ranked<Task>[], run: TaskRun): Promise<void> => {
  const { settings, phase, stopSignal, onBegin } = run;
  for (const { rank, item: task } of byRank(tasks)) {
    stopSignal.throwIfAborted();
    onBegin?.(rank);
    try {
      await measure(phase, task, () =>
        runWithin(task, settings, task.timeoutSecs ?? START_TASK_SECS, stopSignal),
      );
    } catch (cause) {
      stopSignal.throwIfAborted();
      const message = `${phase} task "${nameOf(task)}" failed: ${messageOf(cause)}`;
      throw new FrameworkError("CORE_START_TASK", message, { cause });
    }
  }
  stopSignal.throwIfAborted();
};

/** Runs stop tasks in the reverse order of ranks; a failure is logged and the rest run. */
export const runStopTasks = async (tasks: readonly Ranked<Task>[], settings: AppSettings): Promise<void> => {
  for (const { item: task } of byRank(tasks).toReversed()) {
    try {
      await measure("shutdown", task, () => runWithin(task, settings, task.timeoutSecs ?? STOP_TASK_SECS));
    } catch (error) {
      settings.log.error(`shutdown task "${nameOf(task)}" failed`, { error });
    }
  }
};

const nameOf = (task: Task): string => task.name || "(anonymous)"; // the name of an anonymous function is empty

const measure = async (phase: string, task: Task, work: () => Promise<void>): Promise<void> => {
  const since = performance.now();
  let failed = true;
  try {
    await work();
    failed = false;
  } finally {
    publishTaskTime({ phase, name: nameOf(task), durationMs: performance.now() - since, failed });
  }
};

const runWithin = async (
  task: Task,
  settings: AppSettings,
  limitSecs: number,
  stopSignal?: AbortSignal,
): Promise<void> => {
  const controller = new AbortController();
  const { promise: expired, reject } = Promise.withResolvers<never>();
  const expire = (): void => {
    const error = new FrameworkError("CORE_TASK_TIMEOUT", `still running after ${limitSecs} s`);
    controller.abort(error);
    reject(error);
  };
  let timer = setTimeout(expire, limitSecs * 1000);
  const stop = (): void => {
    clearTimeout(timer);
    timer = setTimeout(expire, STOPPED_TASK_GRACE_MS);
    controller.abort(stopSignal?.reason);
  };
  stopSignal?.addEventListener("abort", stop, { once: true });
  try {
    await Promise.race([task.run(settings, controller.signal), expired]);
  } finally {
    clearTimeout(timer);
    stopSignal?.removeEventListener("abort", stop);
  }
};
