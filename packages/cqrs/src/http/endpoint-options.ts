import type { Guard, HttpMiddleware, HttpRequest, RouteOptions } from "@framework/core";
import type { ProgramRouteOption } from "@framework/core/feature";
import type { Endpoint } from "../definitions/endpoint.ts";
import type { AnyOperation } from "../definitions/operation.ts";

/** An endpoint, with the middleware of the option `use` of `handle`. */
export type EndpointWithMiddleware<E extends Endpoint = Endpoint> = E & {
  readonly use: readonly HttpMiddleware[];
};

/** Returns the guards for requests: first the guards of the operation, then the guards of its endpoint. */
export const guardsOf = (
  { guards }: AnyOperation,
  endpoint: Endpoint | null,
): readonly Guard<HttpRequest>[] => [...guards, ...(endpoint?.guards ?? [])];

/** Returns the route options that endpoints of commands and queries share. */
export const endpointOptions = (
  operation: AnyOperation,
  endpoint: EndpointWithMiddleware,
): RouteOptions & ProgramRouteOption => {
  const { name } = operation;
  const { tags, summary, description, errors, maxBodyBytes, routeOptions = {}, use } = endpoint;
  return {
    ...routeOptions,
    isProgramRoute: true,
    use,
    name: endpoint.name ?? name,
    guards: guardsOf(operation, endpoint),
    ...(tags !== undefined && { tags }),
    ...(summary !== undefined && { summary }),
    ...(description !== undefined && { description }),
    ...(errors !== undefined && { errors }),
    ...(maxBodyBytes !== undefined && { maxBodyBytes }),
  };
};
