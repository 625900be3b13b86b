import { type Middleware, mapAwaitable } from "../middleware.ts";
import type { HttpRequest } from "../request/http-request.ts";
import type { Response } from "../response/response.ts";
import type { RouteOptions } from "../routing/route.ts";
import type { StandardSchema } from "../validation/standard-schema.ts";
import { validate } from "../validation/validate.ts";

/** Fills `request.input` from the route's schemas, or `null` when it has none. @throws ValidationError 422 */
export const validateInput = ({
  params,
  query,
  body,
}: RouteOptions): Middleware<HttpRequest, Response> | null => {
  if (params === undefined && query === undefined && body === undefined) return null;
  return function validateInput(request, next) {
    const head = {
      params: part(params, () => request.params, "params"),
      query: part(query, () => request.query.toObject(), "query"),
    };
    return mapAwaitable(head.params, (validParams) =>
      mapAwaitable(head.query, (validQuery) =>
        mapAwaitable(
          body === undefined
            ? undefined
            : mapAwaitable(request.bodyValue(), (value) => validate(body, value, "body")),
          (validBody) => {
            request.input = { params: validParams, query: validQuery, body: validBody };
            return next(request);
          },
        ),
      ),
    );
  };
};

const part = (schema: StandardSchema | undefined, value: () => unknown, place: "params" | "query") =>
  schema === undefined ? undefined : validate(schema, value(), place);
