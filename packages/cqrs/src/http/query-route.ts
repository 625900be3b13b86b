import { type HttpRequest, Response } from "@framework/core";
import type { HostHttp, ImpliedReply } from "@framework/core/feature";
import type { QueryEndpoint } from "../definitions/endpoint.ts";
import type { AnyQuery } from "../definitions/query.ts";
import type { Queries } from "../queries/queries.ts";
import { documentedSchema } from "./documented-schema.ts";
import { endpointOptions } from "./endpoint-options.ts";
import { pathNames, withParams } from "./path-names.ts";

/** Adds the HTTP endpoint of a query. */
export const addQueryRoute = (
  http: HostHttp<unknown>,
  query: AnyQuery,
  endpoint: QueryEndpoint,
  queries: () => Queries,
): void => {
  const { path } = endpoint;
  const names = pathNames(path);
  const placeOf = (member: string | number | undefined): string =>
    names.has(String(member)) ? "params" : "query";
  const handle = async (request: HttpRequest): Promise<Response> => {
    const input = withParams(request.query.toObject(), request.params);
    const from = { from: request, skipGuards: true, signal: request.signal, placeOf }; // the guards are the route's
    return Response.json(await queries().ask(query, input, from));
  };
  http.route("GET", path, handle, {
    ...endpointOptions(query, endpoint),
    ofProgram: true,
    query: documentedSchema(query.input, (name) => !names.has(name)),
    ...(names.size > 0 && { params: documentedSchema(query.input, (name) => names.has(name)) }),
    responses: { 200: documentedSchema(query.output) },
  });
};

/** Replies of the endpoint of a query that its options do not list. */
export const queryReplies: readonly ImpliedReply[] = [
  { status: 422, description: "The input does not match the schema." },
  { status: 504, description: "The query took too long." },
];
