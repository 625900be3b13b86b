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
      const handle = await dbos().startWorkflow(run, { workflowID, workflowIDReusePolicy: "reject" })(
        sagaId,
        letter,
      );
      await handle.getResult();
      return true;
    } catch (error) {
      if (dbosSdk().Error.isWorkflowIDInUseError(error)) return false;
      throw error;
    }
  };
};
