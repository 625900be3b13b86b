import type { HttpRequest } from "@framework/core";
import type { OperationDefinition } from "@framework/core/feature";
import type { ExecutionResult, OperationDefinitionNode } from "graphql";

/** An operation about to be executed. */
export interface OperationToExecute {
  readonly operation: OperationDefinitionNode;
  readonly request: HttpRequest;
}

/** An operation of a client, with the names of OpenTelemetry. The client's own name is input, so it is an attribute and not the name of the operation. */
export const graphqlOperation: OperationDefinition<OperationToExecute, ExecutionResult> = {
  kind: "graphql",
  role: "server",
  describe: ({ operation, request }) => ({
    name: operation.operation,
    subject: request,
    attributes: {
      "graphql.operation.type": operation.operation,
      ...(operation.name !== undefined && { "graphql.operation.name": operation.name.value.slice(0, 100) }),
    },
  }),
  outcome: ({ errors }) => (errors === undefined ? {} : { "graphql.errors": errors.length }),
};
