// For applications.
export { graphql, type Graphql } from "./graphql.ts";
export { GraphQLConfig, type GraphQLConfigRecord } from "./graphql-config.ts";
export {
  type FieldResolve,
  field,
  type Field,
  fieldOptions,
  type FieldOptions,
  type Resolve,
  type Resolvers,
  subscription,
  type TypeResolvers,
} from "./schema/field-options.ts";
export type { GraphqlContext, Loader } from "./context/graphql-context.ts";
export type { TrustedDocuments } from "./documents/trusted-documents.ts";
export { createLoader, type LoadBatch, type LoaderOptions } from "./context/loader.ts";

// For other packages.
export { graphqlErrors } from "./error-codes.ts";
