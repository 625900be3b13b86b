import type { ConfigInput, Feature } from "@framework/core/feature";
import { GraphqlEndpoint } from "./graphql-endpoint.ts";
import { GraphQLConfig } from "./graphql-config.ts";
import type { SocketRoutes } from "./sockets/socket-routes.ts";

/** The methods that the feature adds to an app. */
export interface Graphql {
  /**
   * Serves a GraphQL schema over HTTP, and over WebSocket if `websocket` is composed before it.
   *
   * @throws CORE_BAD_CONFIG, GRAPHQL_BAD_SCHEMA, GRAPHQL_BAD_DOCUMENT, GRAPHQL_NO_SOCKETS at start, together with all other configuration errors
   */
  enableGraphql<Values extends object = object>(config?: ConfigInput<GraphQLConfig<Values>>): this;
}

/**
 * Adds a GraphQL endpoint to an app: guards and dependencies per field, limits before validation, loaders per operation, subscriptions, GraphiQL.
 *
 * @example
 * const app = new (App.with(websocket, graphql))().enableGraphql({
 *   schema: "type Query { hello(name: String!): String! }",
 *   resolvers: { Query: { hello: (_: unknown, { name }: { name: string }) => `Hello, ${name}` } },
 * });
 */
export const graphql: Feature<Graphql> = {
  name: "graphql",
  install: (host, needs: object) => ({
    enableGraphql(input) {
      const config = host.configure(GraphQLConfig, input as ConfigInput<GraphQLConfig>); // resolvers get the values that `context` returns
      new GraphqlEndpoint(host, config, needs as Partial<SocketRoutes>).register();
      return this;
    },
  }),
};
