import { dbos, dbosSdk } from "../driver/dbos-sdk.ts";
import type { Letter } from "../script/effect.ts";
import { deliveryId } from "../names/ids.ts";
import { LETTERS } from "./performer.ts";

/** Name of the workflow that delivers a message: it records that the message came, so that a second one is recognised. */
export const DELIVERY = "saga-delivery";

/** A message for an instance. */
export interface Delivery {
  /** Identifies the message. */
  readonly messageId: string;
  readonly letter: Letter;
}

/** Delivers a message once. Returns whether it is new. */
export type Deliver = (sagaId: string, delivery: Delivery) => Promise<boolean>;

/** Registers the workflow, before DBOS is launched. */
export const deliveryWorkflow = (): Deliver => {
  const run = dbos().registerWorkflow(
    async (sagaId: string, letter: Letter) => await dbos().send(sagaId, letter, LETTERS),
    { name: DELIVERY },
  );
  return async (sagaId, { messageId, letter }) => {
    const workflowID = deliveryId(sagaId, messageId);
    try {
      const begin = dbos().startWorkflow(run, {
        workflowID,
        workflowIDReusePolicy: "reject",
        workflowAttributes: ofSaga(sagaId),
      });
      await (await begin(sagaId, letter)).getResult();
      return true;
    } catch (error) {
      if (dbosSdk().Error.isWorkflowIDInUseError(error)) return false;
      throw error;
    }
  };
};

/** Returns whether an instance has had a message. */
export const wasDelivered = async (sagaId: string, messageId: string): Promise<boolean> =>
  (await dbos().getWorkflowStatus(deliveryId(sagaId, messageId))) !== null;

/** Returns whether at least `count` messages have come for an instance, whether or not it has read them. */
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
export const forgetDeliveries = async (sagaId: string): Promise<void> => {
  const found = await dbos().listWorkflows({
    workflowName: DELIVERY,
    attributes: ofSaga(sagaId),
    loadInput: false,
    loadOutput: false,
  });
  if (found.length > 0) await dbos().deleteWorkflows(found.map(({ workflowID }) => workflowID));
};

/** Attributes by which the deliveries of an instance are found; DBOS has an index of them. */
const ofSaga = (saga: string): { readonly saga: string } => ({ saga });
