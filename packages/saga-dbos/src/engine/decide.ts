import type { WorkflowStatus } from "@dbos-inc/dbos-sdk";
import type { Decision } from "@framework/saga";
import { checkedReason, decisionChange, jsonValue, notPossible, type Verb } from "@framework/saga/feature";
import { dbos } from "../driver/dbos-sdk.ts";
import { workflowOf } from "../names/ids.ts";
import type { Letter } from "../script/effect.ts";
import { isResumable, isStopped, type Seen } from "../view/look.ts";
import { LETTERS } from "./performer.ts";

/** Sends a decision of an operator to an instance, and lets DBOS go on with one that it has stopped. @throws HttpError 409 when the state does not allow it */
export const decide = async (
  { workflow, definition, progress: { saga } }: Seen,
  verb: Verb,
  { reason, output }: Decision,
): Promise<void> => {
  const note = checkedReason(reason);
  const { workflowID: id } = workflow;
  const hasStopped = isStopped(workflow);
  if (hasStopped) checkStopped(workflow, verb);
  if (!hasStopped || verb === "cancel") {
    decisionChange(definition, saga, verb, output);
    const text = jsonValue(output, "the output");
    const letter = { kind: "decision", verb, reason: note, output: text, revision: saga.revision } as const;
    await dbos().send<Letter>(id, letter, LETTERS);
  }
  if (hasStopped) await dbos().resumeWorkflow(id, { queueName: workflowOf(saga) });
};

/** The script of a stopped workflow is somewhere on its way: it can go on, or find a cancellation. */
const checkStopped = (workflow: WorkflowStatus, verb: Verb): void => {
  const problem = `The workflow of this saga is ${workflow.status} in DBOS`;
  if (!isResumable(workflow))
    throw notPossible(`${problem}, which it cannot leave; look for its error there`);
  if (verb !== "cancel" && verb !== "retry") throw notPossible(`${problem}; retry or cancel it`);
};
