import { isEnd, isUndoing } from "@framework/saga/feature";
import { undoNext } from "./undo-next.ts";
import type { Script } from "./effect.ts";
import { runNext } from "./run-next.ts";
import { readInputs, waitForOperator } from "./inputs.ts";
import type { Progress } from "./progress.ts";

/**
 * Runs the definition of a saga to its end. The script is pure: it yields effects and receives their records. The same records therefore lead to the
 * same state in the engine, after a crash, and in a process that only views the saga.
 */
export const sagaScript = function* (saga: Progress): Script<void> {
  for (;;) {
    const { status } = saga.saga;
    if (isEnd(status)) return;
    if (status === "paused" || status === "stuck") yield* waitForOperator(saga);
    else if (isUndoing(status)) yield* undoNext(saga);
    else {
      yield* readInputs(saga);
      if (saga.saga.status === status) yield* runNext(saga);
    }
  }
};
