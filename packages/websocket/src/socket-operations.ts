import type { HttpRequest, Invocation } from "@framework/core";
import type { OperationDefinition } from "@framework/core/feature";

/** A connection as an operation of the kind `websocket`, from its upgrade to its end. */
export const sessionOperation: OperationDefinition<HttpRequest> = {
  kind: "websocket",
  role: "server",
  describe: (request) => {
    const { route } = request;
    return {
      name: route ?? "unmatched",
      subject: request,
      ...(route !== null && { attributes: { "http.route": route } }),
    };
  },
};

/** A message of `socket.each`, as an operation of the kind `websocket` within the operation of its connection. */
export const messageOperation: OperationDefinition<Invocation> = {
  kind: "websocket",
  role: "consumer",
  describe: (invocation) => ({ name: invocation.name, subject: invocation }),
};
