import type { ErrorCatalogue } from "@framework/core/feature";

/** The error codes of this package. */
export const graphqlErrors: ErrorCatalogue = {
  GRAPHQL_BAD_BATCH: {
    summary: "a loader's batch function did not return one value for each key; the fields fail",
    action: "return an array with the values, or errors, in the order of the keys",
  },
  GRAPHQL_BAD_DOCUMENT: {
    summary: "a registered document is malformed or does not fit the schema; the app does not start",
    action: "correct the document; the message names it and the mistake",
  },
  GRAPHQL_BAD_SCHEMA: {
    summary: "the schema is malformed or has a resolver without a field; the app does not start",
    action: "the message names the place; correct the schema or the resolvers",
  },
  GRAPHQL_UNKNOWN_CONTEXT: {
    summary: "a field with guards or injections was executed outside the app's endpoint",
    action: "execute the schema through the app's endpoint",
  },
  GRAPHQL_LOADER_FULL: {
    summary: "one operation requested more keys from a loader than `maxKeys`",
    action: "raise the loader's `maxKeys`, or limit the query with `maxComplexity`",
  },
  GRAPHQL_NO_SCHEMA: {
    summary: "`enableGraphql` got no schema, so the endpoint serves an empty one",
    action: "pass `schema`, as SDL or as a GraphQLSchema",
  },
  GRAPHQL_NO_SOCKETS: {
    summary: "the schema has subscriptions, but the app has no WebSocket; the app does not start",
    action: "compose `websocket` before `graphql` in `App.with`",
  },
};
