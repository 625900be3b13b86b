import { dbos, dbosSdk } from "../driver/dbos-sdk.ts";
import type { SagaInput } from "../script/effect.ts";
import { deliveryId } from "../names/ids.ts";
import { INPUT_TOPIC } from "./performer.ts";

/** Name of the workflow that delivers a message, and records it for deduplication. */
export const DELIVERY = "saga-delivery";

/** A message for an instance. */
export interface Delivery {
  /** Id of the message. */
  readonly messageId: string;
  readonly input: SagaInput;
}

/** Delivers a message, unless one with its id was delivered. Returns whether it is new. */
export type Deliver = (sagaId: string, delivery: Delivery) => Promise<boolean>;

/** Registers the delivery workflow. Call it before DBOS is launched. */
export const deliveryWorkflow = (): Deliver => {
  const run = dbos().registerWorkflow(
    async (sagaId: string, input: SagaInput) => await dbos().send(sagaId, input, INPUT_TOPIC),
    { name: DELIVERY },
  );
  return async (sagaId, { messageId, input }) => {
    const workflowID = deliveryId(sagaId, messageId);
    try {
      const begin = dbos().startWorkflow(run, {
        workflowID,
        workflowIDReusePolicy: "reject",
        workflowAttributes: ofSaga(sagaId),
      });
      await (await begin(sagaId, input)).getResult();
      return true;
    } catch (error) {
      if (dbosSdk().Error.isWorkflowIDInUseError(error)) return false;
      throw error;
    }
  };
};

/** Returns whether a message was delivered to an instance. */
export const wasDelivered = async (sagaId: string, messageId: string): Promise<boolean> =>
  (await dbos().getWorkflowStatus(deliveryId(sagaId, messageId))) !== null;

/** Returns whether at least `count` messages were delivered to an instance, read or not. */
export const hasDeliveries = async (sagaId: string, count: number): Promise<boolean> => {
  const last = await dbos().listWorkflows({
    workflowName: DELIVERY,
    attributes: ofSaga(sagaId),
    offset: count - 1,
    limit: 1,
    loadInput: false,
    loadOutput: false,
  });
  return last.length > 0;
};

/** Deletes the records of all messages of an instance. */
export const deleteDeliveries = async (sagaId: string): Promise<void> => {
  const found = await dbos().listWorkflows({
    workflowName: DELIVERY,
    attributes: ofSaga(sagaId),
    loadInput: false,
    loadOutput: false,
  });
  if (found.length > 0) await dbos().deleteWorkflows(found.map(({ workflowID }) => workflowID));
};

/** Returns the workflow attributes by which the deliveries of an instance are found; DBOS indexes them. */
const ofSaga = (saga: string): { readonly saga: string } => ({ saga });
