import { GraphQLError } from "graphql";
import { normalizeError } from "../graphql-js/normalize-error.ts";

/** Returns the error of an operation that failed outside of its resolvers, such as in `context` or in the function `documents`. */
export const failure = (error: unknown): GraphQLError => {
  const cause = normalizeError(error);
  return new GraphQLError(cause.message, { cause, originalError: cause });
};
