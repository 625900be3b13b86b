import type { AppSettings } from "./app-settings.ts";
import { callDrainListeners, type DrainListener } from "./drain-listeners.ts";
import type { Ranked } from "./ranks.ts";
import { runStartTasks, runStopTasks, type Task } from "./tasks.ts";

/** The phases of an app, by the method that registers tasks for them. */
export type TaskPhase = "onStart" | "onListening" | "onStop";

/** The phases of one app: prepare, listening, drain, stop. Records the progress of the start, so that a stop undoes exactly that part. */
export class Life {
  private readonly tasks: Readonly<Record<TaskPhase, Ranked<Task>[]>> = {
    onStart: [],
    onListening: [],
    onStop: [],
  };
  private readonly drainListeners: Ranked<DrainListener>[] = [];
  /** Rank of the last feature whose start has begun; infinite when all have started. */
  private reached = -1;

  add(phase: TaskPhase, task: Task, rank: number): void {
    this.tasks[phase].push({ rank, item: task });
  }

  addDrainListener(listener: DrainListener, rank: number): void {
    this.drainListeners.push({ rank, item: listener });
  }

  /** Runs the start tasks. @throws CORE_START_TASK; the reason of `stopSignal` */
  async prepare(settings: AppSettings, stopSignal: AbortSignal): Promise<void> {
    const onBegin = (rank: number): void => {
      this.reached = rank;
    };
    await runStartTasks(this.tasks.onStart, { settings, phase: "startup", stopSignal, onBegin });
    this.reached = Infinity;
  }

  /** Runs the tasks that need a complete service. @throws as `prepare` */
  listen(settings: AppSettings, stopSignal: AbortSignal): Promise<void> {
    return runStartTasks(this.tasks.onListening, { settings, phase: "listening", stopSignal });
  }

  /** Calls the drain listeners; none for an app that never started completely. Resolves to whether all settled within `limitMs`. */
  drain(settings: AppSettings, limitMs: number): Promise<boolean> {
    const listeners = this.reached === Infinity ? this.drainListeners : [];
    return callDrainListeners(listeners, limitMs, settings.log);
  }

  /** Runs the stop tasks of every feature whose start has begun, in reverse. */
  stop(settings: AppSettings): Promise<void> {
    const tasks = this.tasks.onStop.filter(({ rank }) => rank <= this.reached);
    return runStopTasks(tasks, settings);
  }
}
