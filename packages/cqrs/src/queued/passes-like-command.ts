import { type Awaitable, type HttpRequest, type Logger, type Response, verifyGuards } from "@framework/core";
import { compose, type HostHttp, mapAwaitable, toError } from "@framework/core/feature";
import type { AnyCommand } from "../definitions/command.ts";
import type { Handled } from "../handlers/handler-types.ts";
import { guardsOf } from "../http/endpoint-options.ts";

/** Passes a request to `show` if the endpoint of a command would have accepted it. */
export type PassLikeCommand = (
  request: HttpRequest,
  handled: Handled<AnyCommand>,
  params: Readonly<Record<string, string>>,
  show: (request: HttpRequest) => Response,
) => Awaitable<Response>;

/**
 * Lets requests about a command pass its middleware and then its guards, as requests to its endpoint do. They see the path parameters with which the command
 * was sent.
 */
export const passesLikeCommand =
  (http: HostHttp<unknown>, log: () => Logger): PassLikeCommand =>
  (request, { operation, use }, params, show) => {
    const guards = guardsOf(operation, operation.http);
    const guarded = (caller: HttpRequest): Awaitable<Response> =>
      mapAwaitable(verifyGuards(guards, caller, { log: log() }), () => show(caller));
    const middleware = use.map((one) =>
      typeof one === "function" ? one : (input: HttpRequest, next: typeof guarded) => one.handle(input, next),
    );
    const rescue = (error: unknown, failed: HttpRequest): Awaitable<Response> =>
      http.replyTo(toError(error), failed);
    return compose<HttpRequest, Response>(middleware, guarded, rescue)(withParams(request, params));
  };

/** The same request with other path parameters: it reads and writes the state of the request itself. */
const withParams = (request: HttpRequest, params: Readonly<Record<string, string>>): HttpRequest =>
  new Proxy(request, {
    get: (target, name) => (name === "params" ? params : (Reflect.get(target, name, target) as unknown)),
  });
