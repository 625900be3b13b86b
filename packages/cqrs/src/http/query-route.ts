import { type HttpRequest, Response } from "@framework/core";
import { type HostHttp, type ImpliedReply, type ListNames, listNamesOf } from "@framework/core/feature";
import type { QueryEndpoint } from "../definitions/endpoint.ts";
import type { AnyQuery, QueryCache } from "../definitions/query.ts";
import type { Queries } from "../queries/queries.ts";
import { queryTag } from "../sync/query-tag.ts";
import { retryAfter } from "./key-replies.ts";
import { TOKEN_FIELD } from "./reply-fields.ts";
import { documentedSchema } from "./documented-schema.ts";
import { endpointOptions, type EndpointWithMiddleware } from "./endpoint-options.ts";
import { pathNames, withParams } from "./path-names.ts";

/** Adds the HTTP endpoint of a query. @param hasCache whether the app is composed with a cache */
export const addQueryRoute = (
  http: HostHttp<unknown>,
  query: AnyQuery,
  endpoint: EndpointWithMiddleware<QueryEndpoint>,
  queries: () => Queries,
  hasCache: boolean,
): void => {
  const { path } = endpoint;
  const names = pathNames(path);
  const sourceOf = (member: string | number | undefined): string =>
    names.has(String(member)) ? "params" : "query";
  const all = listNamesOf(query.input);
  const lists: ListNames = {
    isEmpty: all.isEmpty,
    has: (name) => all.has(name) && !names.has(name),
  };
  const handle = async (request: HttpRequest): Promise<Response> => {
    const input = withParams(request.query.toObject(), request.params);
    const value = await queries().run(query, input, {
      from: request,
      skipGuards: true, // the route runs them
      signal: request.signal,
      sourceOf,
      lists,
      after: request.getHeader(TOKEN_FIELD),
    });
    return Response.json(value);
  };
  http.route("GET", path, handle, {
    ...endpointOptions(query, endpoint),
    // Without this option, the cache would store any reply to a GET.
    ...(hasCache && { cache: query.cache === null ? false : cacheOption(query.name, query.cache) }),
    query: documentedSchema(query.input, (name) => !names.has(name)),
    ...(names.size > 0 && { params: documentedSchema(query.input, (name) => names.has(name)) }),
    responses: { 200: documentedSchema(query.output) },
  });
};

/** Returns the route option of `@framework/cache`. Replies vary by token: the reply for an earlier token must not be served to a request with a later one. */
const cacheOption = (name: string, { ttl, staleSecs, shared, tags = [] }: QueryCache): object => ({
  ...(ttl !== undefined && { ttl }),
  ...(staleSecs !== undefined && { staleSecs }),
  ...(shared !== undefined && { shared }),
  tags: [...tags, queryTag(name)],
  vary: [TOKEN_FIELD],
});

/** Implied replies of the endpoint of a query, for the API document. */
export const queryReplies: readonly ImpliedReply[] = [
  { status: 422, description: "The input does not match the schema." },
  {
    status: 503,
    description: "The data does not contain the changes of the token yet.",
    headers: retryAfter,
  },
  { status: 504, description: "The query took too long." },
];
