import { type Awaitable, type HttpRequest, type Logger, type Response, verifyGuards } from "@framework/core";
import { compose, type HostHttp, mapAwaitable, toError } from "@framework/core/feature";
import type { AnyCommand } from "../definitions/command.ts";
import type { HandledOperation } from "../handlers/handler-types.ts";
import { guardsOf } from "../http/endpoint-options.ts";

/** Passes a request to `show` if the middleware and guards of a command accept it. */
export type CommandAccess = (
  request: HttpRequest,
  handled: HandledOperation<AnyCommand>,
  params: Readonly<Record<string, string>>,
  show: (request: HttpRequest) => Response,
) => Awaitable<Response>;

/**
 * Checks requests about a queued command with its middleware and then its guards, like requests to its endpoint. Both get the path parameters of the request
 * that enqueued the command.
 */
export const commandAccess =
  (http: HostHttp<unknown>, log: () => Logger): CommandAccess =>
  (request, { operation, use }, params, show) => {
    const guards = guardsOf(operation, operation.http);
    const checkAndShow = (caller: HttpRequest): Awaitable<Response> =>
      mapAwaitable(verifyGuards(guards, caller, { log: log() }), () => show(caller));
    const middleware = use.map((one) =>
      typeof one === "function"
        ? one
        : (input: HttpRequest, next: typeof checkAndShow) => one.handle(input, next),
    );
    const rescue = (error: unknown, failed: HttpRequest): Awaitable<Response> =>
      http.replyTo(toError(error), failed);
    return compose<HttpRequest, Response>(middleware, checkAndShow, rescue)(withParams(request, params));
  };

/** Returns the request with other path parameters; everything else is read from and written to the request itself. */
const withParams = (request: HttpRequest, params: Readonly<Record<string, string>>): HttpRequest =>
  new Proxy(request, {
    get: (target, name) => (name === "params" ? params : (Reflect.get(target, name, target) as unknown)),
  });
