import type { AnySaga } from "../definition/definition.ts";
import { changedDefinition } from "../errors/saga-errors.ts";
import { isActive, isUndoing } from "../transitions/transitions.ts";
import type { RunClaim } from "../run-queue/run-queue.ts";
import { undoNext } from "./undo-next.ts";
import { runNext } from "./run-next.ts";
import type { RunnerParts } from "./runner-parts.ts";
import { SagaRun } from "./saga-run.ts";

/**
 * Runs a claimed instance until it waits, ends, or needs a later attempt.
 *
 * @throws SAGA_CHANGED; SAGA_STALE; the reason of the claim's signal; errors of the infrastructure. The current attempt is not recorded then, and another
 * run repeats it.
 */
export const runInstance = async (
  parts: RunnerParts,
  definition: AnySaga,
  claim: RunClaim,
): Promise<void> => {
  const saga = await parts.store.load(parts.store.db, claim.sagaId);
  if (saga === null || !isActive(saga.status)) return;
  if (saga.hash !== definition.hash) throw changedDefinition(definition.name, definition.version);
  const run = new SagaRun(parts, definition, claim, saga);
  for (let continues = true; continues;) {
    claim.signal.throwIfAborted();
    continues = await (isUndoing(run.saga.status) ? undoNext(run) : runNext(run));
  }
};
