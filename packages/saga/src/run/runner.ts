import type { AnySaga } from "../definition/definition.ts";
import { changedDefinition } from "../errors/saga-errors.ts";
import { isActive, isUndoing } from "../transitions/transitions.ts";
import type { Turn } from "../turns/turns.ts";
import { undoNext } from "./undo-next.ts";
import { runNext } from "./run-next.ts";
import type { RunnerParts } from "./runner-parts.ts";
import { SagaRun } from "./saga-run.ts";

/**
 * Runs an instance for one turn: until it waits, ends, or needs a later attempt.
 *
 * @throws errors of the infrastructure; nothing is recorded then, and another turn repeats the attempt
 */
export const runTurn = async (parts: RunnerParts, definition: AnySaga, turn: Turn): Promise<void> => {
  const saga = await parts.store.load(parts.store.db, turn.sagaId);
  if (saga === null || !isActive(saga.status)) return;
  if (saga.hash !== definition.hash) throw changedDefinition(definition.name, definition.version);
  const run = new SagaRun(parts, definition, turn, saga);
  for (let continues = true; continues;) {
    turn.signal.throwIfAborted();
    continues = await (isUndoing(run.saga.status) ? undoNext(run) : runNext(run));
  }
};
