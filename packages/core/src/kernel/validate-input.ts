import { type Awaitable, type Handler, isPromise } from "../middleware/middleware.ts";
import type { HttpRequest, RequestInput } from "../request/http-request.ts";
import type { Response } from "../response/response.ts";
import type { RouteOptions } from "../routes/route.ts";
import { validate } from "../validation/validate.ts";

/**
 * Fills `request.input` from the route's schemas, then calls `next`: first params, then query, and the body is read last. Without schemas it is
 * `next` itself.
 *
 * Each step continues synchronously with a synchronous value; written out because the closures of `mapAwaitable` would cost as much as the rest.
 *
 * @throws ValidationError 422
 */
export const validateInput = (
  schemas: RouteOptions,
  next: Handler<HttpRequest, Response>,
): Handler<HttpRequest, Response> => {
  const { params, query, body } = schemas;
  if (params === undefined && query === undefined && body === undefined) return next;
  return function validateInput(request) {
    const valid = params === undefined ? undefined : validate(params, request.params, "params");
    return isPromise(valid)
      ? valid.then((settled) => validateQuery(schemas, request, next, settled))
      : validateQuery(schemas, request, next, valid);
  };
};

const validateQuery = (
  schemas: RouteOptions,
  request: HttpRequest,
  next: Handler<HttpRequest, Response>,
  params: unknown,
): Awaitable<Response> => {
  const { query } = schemas;
  const valid = query === undefined ? undefined : validate(query, request.query.toObject(), "query");
  return isPromise(valid)
    ? valid.then((settled) => validateBody(schemas, request, next, params, settled))
    : validateBody(schemas, request, next, params, valid);
};

const validateBody = (
  { body }: RouteOptions,
  request: HttpRequest,
  next: Handler<HttpRequest, Response>,
  params: unknown,
  query: unknown,
): Awaitable<Response> => {
  if (body === undefined) return proceed(request, next, { params, query, body });
  const value = request.bodyValue();
  const valid = isPromise(value)
    ? value.then((settled) => validate(body, settled, "body"))
    : validate(body, value, "body");
  return isPromise(valid)
    ? valid.then((settled) => proceed(request, next, { params, query, body: settled }))
    : proceed(request, next, { params, query, body: valid });
};

const proceed = (
  request: HttpRequest,
  next: Handler<HttpRequest, Response>,
  input: RequestInput,
): Awaitable<Response> => {
  request.input = input;
  return next(request);
};
