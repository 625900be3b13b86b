import { type Awaitable, type Handler, isPromise } from "../middleware/middleware.ts";
import { JsonReader, MAX_SHAPED_BODY } from "../body/json-reader.ts";
import { type HttpRequest, type RequestInput, shapedValue } from "../request/http-request.ts";
import type { Response } from "../response/response.ts";
import type { RouteOptions } from "../routes/route.ts";
import type { StandardSchema } from "../validation/standard-schema.ts";
import { type ListNames, listNamesOf } from "../validation/list-names.ts";
import { validate } from "../validation/validate.ts";
import { validateNamed } from "../validation/validate-named.ts";

/**
 * Returns a handler that fills `request.input` from the route's schemas and then calls `next`: params, then query, then the body. Without schemas it is `next`
 * itself.
 *
 * Each step continues synchronously with a synchronous value; the steps are written out to avoid the closures of `mapAwaitable`. `validate` returns native
 * promises, so `instanceof Promise` suffices, and `then` need not be read.
 *
 * @throws ValidationError 422; the errors of `request.bodyValue`
 */
export const validateInput = (
  schemas: RouteOptions,
  next: Handler<HttpRequest, Response>,
): Handler<HttpRequest, Response> => {
  const { params, query, body } = schemas;
  if (params === undefined && query === undefined && body === undefined) return next;
  const lists = query === undefined ? none : listNamesOf(query);
  const steps: Steps = { schemas, next, reader: new JsonReader(), lists };
  return function validateInput(request) {
    const valid = params === undefined ? undefined : validate(params, request.params, "params");
    return valid instanceof Promise
      ? valid.then((settled) => validateQuery(steps, request, settled))
      : validateQuery(steps, request, valid);
  };
};

interface Steps {
  readonly schemas: RouteOptions;
  readonly next: Handler<HttpRequest, Response>;
  /** Reads the bodies of the route. */
  readonly reader: JsonReader;
  /** The query's properties that are lists. */
  readonly lists: ListNames;
  /** The body's properties that are lists; computed for the first form. */
  formLists?: ListNames;
}

const none: ListNames = { isEmpty: true, has: () => false };

const validateQuery = (steps: Steps, request: HttpRequest, params: unknown): Awaitable<Response> => {
  const { query } = steps.schemas;
  const valid = query === undefined ? undefined : validQuery(query, steps.lists, request);
  return valid instanceof Promise
    ? valid.then((settled) => validateBody(steps, request, params, settled))
    : validateBody(steps, request, params, valid);
};

const validQuery = (schema: StandardSchema, lists: ListNames, request: HttpRequest): Awaitable<unknown> => {
  const values = request.query.toObject();
  return lists.isEmpty ? validate(schema, values, "query") : validateNamed(schema, values, "query", lists);
};

const validateBody = (
  steps: Steps,
  request: HttpRequest,
  params: unknown,
  query: unknown,
): Awaitable<Response> => {
  const { next, reader } = steps;
  const { body } = steps.schemas;
  if (body === undefined) return proceed(request, next, { params, query, body });
  const shaped = shapedValue(request, reader);
  const valid = shaped === undefined ? validateParsed(body, request, steps) : validate(body, shaped, "body");
  return valid instanceof Promise
    ? valid.then((settled) => proceed(request, next, { params, query, body: settled }))
    : proceed(request, next, { params, query, body: valid });
};

const validateParsed = (body: StandardSchema, request: HttpRequest, steps: Steps): Awaitable<unknown> => {
  const { reader } = steps;
  const value = request.bodyValue();
  const check = (parsed: unknown): Awaitable<unknown> => {
    if (request.isForm || request.isMultipart) {
      const lists = (steps.formLists ??= listNamesOf(body));
      if (!lists.isEmpty && parsed !== undefined) return validateNamed(body, parsed, "body", lists);
    }
    if (request.isJson && (request.contentLength ?? Infinity) <= MAX_SHAPED_BODY) reader.learn(parsed);
    return validate(body, parsed, "body");
  };
  return isPromise(value) ? value.then(check) : check(value);
};

const proceed = (
  request: HttpRequest,
  next: Handler<HttpRequest, Response>,
  input: RequestInput,
): Awaitable<Response> => {
  request.input = input;
  return next(request);
};
