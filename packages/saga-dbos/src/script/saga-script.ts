import { isEnd, isUndoing } from "@framework/saga/feature";
import { goBack } from "./back.ts";
import type { Script } from "./effect.ts";
import { goForward } from "./forward.ts";
import { readLetters, waitForOperator } from "./letters.ts";
import type { Progress } from "./progress.ts";

/**
 * Walks the definition of a saga to its end. The script touches nothing: each effect is asked for, and its record comes back, so the same records lead to the
 * same state in the engine, after a crash, and in a process that only looks.
 */
export const sagaScript = function* (saga: Progress): Script<void> {
  for (;;) {
    const { status } = saga.saga;
    if (isEnd(status)) return;
    if (status === "paused" || status === "stuck") yield* waitForOperator(saga);
    else if (isUndoing(status)) yield* goBack(saga);
    else {
      yield* readLetters(saga);
      if (saga.saga.status === status) yield* goForward(saga);
    }
  }
};
