import { defaultFieldResolver, type GraphQLFieldResolver } from "graphql";
import type { GraphqlContext } from "../context/graphql-context.ts";
import { readableError } from "../graphql-js/readable-error.ts";
import { markShown, noteReturned } from "./shown-errors.ts";

/** Resolves a field without a resolver as GraphQL does, to the member of the source with its name, and marks the errors of methods as those of resolvers. */
export const resolveMember: GraphQLFieldResolver<unknown, GraphqlContext> = (source, args, context, info) => {
  try {
    const value = defaultFieldResolver(source, args, context, info);
    noteReturned(value);
    return value;
  } catch (error) {
    return markShown(readableError(error));
  }
};
