import type { Guard, HttpRequest, RouteOptions } from "@framework/core";

/** Route options that endpoints share. */
type RouteFields = Pick<RouteOptions, "tags" | "summary" | "description" | "errors" | "maxBodyBytes">;

/** An HTTP endpoint of a command or query. Path parameters are members of its input. */
export interface Endpoint extends RouteFields {
  /** Path, such as `/orders/{orderId}`. */
  readonly path: string;
  /** Guards of the endpoint, which get the request; they run after the guards of the command or query. */
  readonly guards?: readonly Guard<HttpRequest>[];
  /** Operation name in the API document. @default the name of the command or query */
  readonly name?: string;
  /** Route options of other features, such as `{ rateLimit: { maxRequests: 5 } }`; none that the endpoint sets itself, such as `guards`. Checked at start. @default none */
  readonly routeOptions?: Readonly<Record<string, unknown>>;
}

/** The HTTP endpoint of a command. The input is the JSON body with the path parameters. */
export interface CommandEndpoint extends Endpoint {
  /** Method of the route. @default "POST" */
  readonly method?: "POST" | "PUT" | "PATCH" | "DELETE";
  /** Status of the reply. @default 200; 204 without a result; 202 for a queued command */
  readonly status?: 200 | 201 | 202;
}

/** The HTTP endpoint of a query, for `GET`. The input consists of the query and path parameters: strings, or arrays if repeated. */
export interface QueryEndpoint extends Endpoint {}

/** Names of the options of a query's endpoint. */
export const queryEndpointNames: Readonly<Record<keyof QueryEndpoint, true>> = {
  path: true,
  guards: true,
  name: true,
  routeOptions: true,
  tags: true,
  summary: true,
  description: true,
  errors: true,
  maxBodyBytes: true,
};

/** Names of the options of a command's endpoint. */
export const commandEndpointNames: Readonly<Record<keyof CommandEndpoint, true>> = {
  ...queryEndpointNames,
  method: true,
  status: true,
};
