import type { RouteOptions } from "@framework/core";
import type { Endpoint } from "../definitions/endpoint.ts";
import type { AnyOperation } from "../definitions/operation.ts";

/** Returns the options of an endpoint that commands and queries share. The guards of the operation come first. */
export const endpointOptions = ({ name, guards }: AnyOperation, endpoint: Endpoint): RouteOptions => {
  const { tags, summary, description, errors, maxBodyBytes, routeOptions = {} } = endpoint;
  return {
    ...routeOptions,
    name: endpoint.name ?? name,
    guards: [...guards, ...(endpoint.guards ?? [])],
    ...(tags !== undefined && { tags }),
    ...(summary !== undefined && { summary }),
    ...(description !== undefined && { description }),
    ...(errors !== undefined && { errors }),
    ...(maxBodyBytes !== undefined && { maxBodyBytes }),
  };
};
