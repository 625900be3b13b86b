import type { WorkflowStatusString } from "@dbos-inc/dbos-sdk";
import { dbos } from "../driver/dbos-sdk.ts";
import { type AnySaga, changedDefinition } from "@framework/saga/feature";
import type { SagaStart } from "../script/progress.ts";
import { workflowOf } from "../names/ids.ts";

const unfinished: WorkflowStatusString[] = ["PENDING", "ENQUEUED", "DELAYED"];
const PAGE = 1000;

/** Compares each list of steps with the list of its unfinished instances. @throws SAGA_CHANGED */
export const checkDefinitions = async (definitions: readonly AnySaga[]): Promise<void> => {
  for (const definition of definitions) {
    const { name, version, hash } = definition;
    for (let offset = 0; ; offset += PAGE) {
      const found = await dbos().listWorkflows({
        workflowName: workflowOf(definition),
        status: unfinished,
        offset,
        limit: PAGE,
      });
      if (found.some(({ input }) => (input?.[0] as SagaStart | undefined)?.hash !== hash))
        throw changedDefinition(name, version);
      if (found.length < PAGE) break;
    }
  }
};
