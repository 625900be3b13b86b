import { addErrorFields, errorReply } from "./error-reply.ts";
import type { ExceptionHandlers } from "./exception-handlers.ts";
import { hidesReason } from "../errors/hides-reason.ts";
import { HttpError } from "../errors/http-error.ts";
import { toError } from "../errors/to-error.ts";
import { FailedWith } from "../invocation/trace-keys.ts";
import type { AppSettings } from "../lifecycle/app-settings.ts";
import { messageOf } from "../log/value-text.ts";
import { isPromise, mapAwaitable, type Rescue } from "../middleware/middleware.ts";
import type { HttpRequest } from "../request/http-request.ts";
import { replyOf } from "../response/reply-of.ts";
import type { Response } from "../response/response.ts";
import { isWebResponse } from "../response/web-response.ts";
import { inspectReply } from "./inspect-json.ts";
import { requestFields } from "../exchange/request-fields.ts";
import { UNREADABLE } from "../exchange/unreadable.ts";
import type { PrepareReply } from "./prepare-reply.ts";
import type { RequestOperations } from "./request-operations.ts";

/** Dependencies of `createRescue` besides the exception handlers. */
interface RescueParts {
  readonly settings: AppSettings;
  readonly requests: RequestOperations;
  /** Prepares a reply for the outer levels. */
  readonly accept: PrepareReply;
}

/** Creates the rescue, which turns any thrown value into a reply: from the nearest exception handler, else the framework's own. */
export const createRescue = (
  handlers: ExceptionHandlers,
  { settings, requests, accept }: RescueParts,
): Rescue<HttpRequest, Response> => {
  const inspect = inspectReply("an exception handler", settings);
  const recordFailure = (error: Error, request: HttpRequest): void => {
    request.context.set(FailedWith, error);
    requests.fail(request, error);
  };
  const report = (error: Error, request: HttpRequest): void => {
    recordFailure(error, request);
    logFailure(error, request, settings);
  };
  const warn = (error: Error, request: HttpRequest): void => {
    recordFailure(error, request);
    logFailure(error, request, settings, "warn");
  };
  const standard = (error: Error, request: HttpRequest): Response => {
    const path = request.path === UNREADABLE ? null : request.path;
    let reply: Response;
    try {
      if (statusOf(error) === 500) report(error, request);
      else if (HttpError.is(error) && hidesReason(error)) warn(error, request);
      reply = errorReply(error, { path, accept: request.getHeader("accept") }, settings);
    } catch (failure) {
      return plainFailure("the reply to an error cannot be written", failure, error, request);
    }
    return accept(reply, request);
  };
  /** Returns a plain 500 for an error whose reply failed. */
  const plainFailure = (message: string, failure: unknown, error: Error, request: HttpRequest): Response => {
    recordFailure(toError(failure), request);
    settings.log.error(message, {
      error: toError(failure),
      handled: error,
      ...requestFields(request),
      route: request.route,
    });
    return accept(errorReply(new Error(message), { path: null, accept: null }, settings), request);
  };
  return (thrown, request) => {
    const error = causeOfAbort(toError(thrown), request);
    const handler =
      handlers.find(error, HttpError.prototype) ?? (HttpError.is(error) ? null : handlers.catchAll);
    if (handler === null) return standard(error, request);
    const recover = (failure: unknown) =>
      plainFailure("an exception handler failed", failure, error, request);
    try {
      const returned = handler(request, error); // the `then` of another thenable need not return a promise
      const reply = mapAwaitable(isPromise(returned) ? Promise.resolve(returned) : returned, (value) => {
        const converted = inspect(withStatusOf(error, value));
        if (converted.status === 500) report(error, request); // a handler that restyles errors must not hide bugs
        return accept(converted, request);
      });
      return isPromise(reply) ? reply.then(undefined, recover) : reply;
    } catch (failure) {
      return recover(failure);
    }
  };
};

/** Returns the abort reason, such as a disconnected client, for an error that only reports that `request.signal` aborted. */
const causeOfAbort = (error: Error, request: HttpRequest): Error =>
  mayReportAbort(error) && request.signal.aborted ? toError(request.signal.reason) : error;

/** An abort also ends the request's scope, so a dependency that is being created fails with this code. */
const mayReportAbort = (error: Error): boolean =>
  error.name === "AbortError" || (error as { code?: unknown }).code === "CORE_DEPENDENCY_TOO_LATE";

/** Converts the return value of an exception handler: anything but a `Response` gets the error's status, and a reply with that status gets the error's fields. */
const withStatusOf = (error: Error, value: unknown): Response => {
  const reply = replyOf(value);
  if (!isReply(value)) reply.status = statusOf(error);
  addErrorFields(error, reply);
  return reply;
};

const isReply = (value: unknown): boolean =>
  typeof value === "object" && value !== null && isWebResponse(value);

const statusOf = (error: Error): number =>
  HttpError.is(error) && Number.isInteger(error.status) ? error.status : 500;

const logFailure = (
  error: Error,
  request: HttpRequest,
  { log }: AppSettings,
  level: "warn" | "error" = "error",
): void => {
  const { method, path, route, requestId } = request;
  log[level](`${method} ${route ?? path} failed: ${messageOf(error)}`, {
    error,
    method,
    path,
    route,
    requestId,
  });
};
