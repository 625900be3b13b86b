import { defaultFieldResolver, type GraphQLFieldResolver } from "graphql";
import type { GraphqlContext } from "../context/graphql-context.ts";
import { normalizeError } from "../graphql-js/normalize-error.ts";
import { marked, throwResolverError } from "./resolver-errors.ts";

/** Resolves a field without a resolver as GraphQL does: to the source's member with the name of the field. Marks errors of methods like errors of resolvers. */
export const resolveMember: GraphQLFieldResolver<unknown, GraphqlContext> = (source, args, context, info) => {
  try {
    return marked(defaultFieldResolver(source, args, context, info), info.returnType);
  } catch (error) {
    return throwResolverError(normalizeError(error));
  }
};
