// For applications.
export { graphql, type Graphql } from "./graphql.ts";
export { GraphQLConfig, type GraphQLConfigRecord } from "./graphql-config.ts";
export {
  type DependencyArguments,
  field,
  type Field,
  fieldOptions,
  type FieldOptions,
  type Resolve,
  type Resolvers,
  subscription,
  type TypeResolvers,
} from "./schema/field-options.ts";
export type { GraphqlContext } from "./execution/graphql-context.ts";
export { createLoader, type Loader, type LoaderOptions } from "./execution/loader.ts";
export type { TrustedDocuments } from "./documents/trusted-documents.ts";

// For other packages.
export { graphqlErrors } from "./error-codes.ts";
