import type { WorkflowStatus } from "@dbos-inc/dbos-sdk";
import type { Decision } from "@framework/saga";
import { checkedReason, decisionChange, jsonValue, notPossible, type Verb } from "@framework/saga/feature";
import { dbos } from "../driver/dbos-sdk.ts";
import { workflowOf } from "../names/ids.ts";
import type { SagaInput } from "../script/effect.ts";
import { isResumable, isStopped, type SagaView } from "../view/saga-view.ts";
import { INPUT_TOPIC } from "./performer.ts";

/**
 * Sends an operator's decision to an instance, and resumes its workflow if DBOS has stopped it.
 *
 * @throws HttpError 409 if the state does not allow the decision
 */
export const decide = async (
  { workflow, definition, progress: { saga } }: SagaView,
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
    const input = { kind: "decision", verb, reason: note, output: text, revision: saga.revision } as const;
    await dbos().send<SagaInput>(id, input, INPUT_TOPIC);
  }
  if (hasStopped) await dbos().resumeWorkflow(id, { queueName: workflowOf(saga) });
};

/** A stopped workflow can only be resumed, or resumed with a cancellation. */
const checkStopped = (workflow: WorkflowStatus, verb: Verb): void => {
  const problem = `The workflow of this saga is ${workflow.status} in DBOS`;
  if (!isResumable(workflow)) throw notPossible(`${problem} and cannot be resumed; look for its error there`);
  if (verb !== "cancel" && verb !== "retry") throw notPossible(`${problem}; retry or cancel it`);
};
