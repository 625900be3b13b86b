import type { HttpMiddleware, RouteOptions } from "@framework/core";
import type { ProgramRouteOption } from "@framework/core/feature";
import type { Endpoint } from "../definitions/endpoint.ts";
import type { AnyOperation } from "../definitions/operation.ts";

/** An endpoint with the middleware of its handler's registration. */
export type UsedEndpoint<E extends Endpoint = Endpoint> = E & { readonly use: readonly HttpMiddleware[] };

/** Returns the options of an endpoint that commands and queries share. The guards of the operation come first. */
export const endpointOptions = (
  { name, guards }: AnyOperation,
  endpoint: UsedEndpoint,
): RouteOptions & ProgramRouteOption => {
  const { tags, summary, description, errors, maxBodyBytes, routeOptions = {}, use } = endpoint;
  return {
    ...routeOptions,
    ofProgram: true,
    use,
    name: endpoint.name ?? name,
    guards: [...guards, ...(endpoint.guards ?? [])],
    ...(tags !== undefined && { tags }),
    ...(summary !== undefined && { summary }),
    ...(description !== undefined && { description }),
    ...(errors !== undefined && { errors }),
    ...(maxBodyBytes !== undefined && { maxBodyBytes }),
  };
};
