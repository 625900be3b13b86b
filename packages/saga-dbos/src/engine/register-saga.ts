import type { AnySaga } from "@framework/saga/feature";
import { dbos } from "../driver/dbos-sdk.ts";
import { workflowOf } from "../names/ids.ts";
import { Progress } from "../script/progress.ts";
import { sagaScript } from "../script/saga-script.ts";
import { recordsOf } from "../view/records.ts";
import { unrecordedEffects } from "../view/replay.ts";
import { perform } from "./perform.ts";
import type { Performer, RunSaga } from "./performer.ts";
import { Slots } from "./slots.ts";

/** Effectively unlimited: DBOS also counts restarts during a wait. The script limits the attempts whose processes were lost. */
const MAX_RECOVERIES = 1_000_000_000;

/** Registers the workflow that runs one definition. Call it before DBOS is launched. */
export const registerSaga = (
  definition: AnySaga,
  { parts, stopping }: Pick<Performer, "parts" | "stopping">,
): RunSaga => {
  const slots = new Slots(parts.concurrency);
  const run: RunSaga = async (start) => {
    if (start.hash !== definition.hash) return await new Promise(() => {}); // `checkDefinitions` makes the start fail
    await parts.ready;
    const id = dbos().workflowID ?? "";
    const mayHaveBegun = unrecordedEffects(definition, {
      id,
      start,
      createdAt: 0,
      records: await recordsOf(id),
    });
    const performer: Performer = { definition, parts, slots, mayHaveBegun, stopping };
    const saga = new Progress(definition, id, start, 0);
    const script = sagaScript(saga);
    for (let step = script.next(); step.done !== true;)
      step = script.next(await perform(performer, step.value));
    return saga.saga.status;
  };
  return dbos().registerWorkflow(run, { name: workflowOf(definition), maxRecoveryAttempts: MAX_RECOVERIES });
};
