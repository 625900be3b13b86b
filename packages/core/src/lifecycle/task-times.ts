import { hasBuiltin, nodeBuiltin } from "../runtime/node-builtins.ts";

/** The message about an ended task on the diagnostics channel `framework.life.task`. */
export interface TaskTime {
  /** The phase: `startup`, `listening` or `shutdown`. */
  readonly phase: string;
  /** Name of the task. */
  readonly name: string;
  /** Duration in milliseconds. */
  readonly durationMs: number;
  /** Whether it failed or timed out. */
  readonly failed: boolean;
}

/** Publishes the duration of a task, for tools such as `framework drain`. */
export const publishTaskTime = (time: TaskTime): void => {
  if (hasBuiltin("node:diagnostics_channel"))
    nodeBuiltin("node:diagnostics_channel").channel("framework.life.task").publish(time);
};
