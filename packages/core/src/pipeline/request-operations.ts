import type { ExchangeEnd } from "../exchange/request-source.ts";
import { methodAttribute, methodInSpanName } from "../insight/method-names.ts";
import type { OperationControl, Operations } from "../insight/operations.ts";
import type { Attributes, OperationDefinition } from "../insight/traced-operation.ts";
import { type Handler, mapAwaitable } from "../middleware/middleware.ts";
import type { Context } from "../invocation/context.ts";
import type { HttpRequest } from "../request/http-request.ts";
import type { Response } from "../response/response.ts";
import { UNREADABLE } from "../exchange/unreadable.ts";

type ServeRequest = Handler<HttpRequest, Response>;

/** Requests as operations of the kind `http`: each ends when its reply has been sent or its connection is lost. */
export interface RequestOperations {
  serve(handle: ServeRequest, request: HttpRequest): ReturnType<ServeRequest>;
  /** Reports the error of a request that failed. */
  fail(request: HttpRequest, error: Error): void;
}

/** Name and attributes of a request per OpenTelemetry's HTTP semantic conventions; without the query, which may contain secrets. */
export const requestOperation: OperationDefinition<HttpRequest> = {
  kind: "http",
  role: "server",
  describe: (request) => {
    const { method, route, path } = request;
    const known = methodAttribute(method);
    const attributes = {
      "http.request.method": known,
      ...(known !== method && { "http.request.method_original": method }),
      ...(route !== null && { "http.route": route }),
      ...(path !== UNREADABLE && { "url.path": path }),
    };
    const name = methodInSpanName(method);
    return { name: route === null ? name : `${name} ${route}`, attributes, subject: request };
  },
};

export const createRequestOperations = (requests: Operations<HttpRequest>): RequestOperations => {
  const open = new WeakMap<Context, OperationControl>(); // by context, because a cache may pass a changed request to the handler
  let hasTraced = false;
  const serveTraced = (operation: OperationControl, handle: ServeRequest, request: HttpRequest) => {
    let status: number | null = null;
    hasTraced = true;
    open.set(request.context, operation);
    request.onEnd((end) => operation.end(outcome(status, end)));
    const readStatus = (reply: Response): Response => {
      ({ status } = reply);
      return reply;
    };
    return operation.within(() => mapAwaitable(handle(request), readStatus)); // `mapAwaitable` inside, so that the continuation runs in the operation's context
  };
  return {
    serve: (handle, request) => {
      const operation = requests.begin(request);
      return operation === null ? handle(request) : serveTraced(operation, handle, request);
    },
    fail: (request, error) => {
      if (hasTraced) open.get(request.context)?.fail(error);
    },
  };
};

const outcome = (status: number | null, end: ExchangeEnd): Attributes => ({
  ...(status !== null && { "http.response.status_code": status }),
  ...(end === "aborted" && { "error.type": "aborted" }),
  ...(end === "sent" && status !== null && status >= 500 && { "error.type": String(status) }),
});
