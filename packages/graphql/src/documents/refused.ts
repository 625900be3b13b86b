import { GraphQLError } from "graphql";

/** An error that refuses a request before its execution, with the framework's error body in `extensions`. */
export const refused = (
  detail: string,
  extras: Readonly<Record<string, unknown>> = {},
  status = 400,
): GraphQLError =>
  new GraphQLError(detail, {
    extensions: {
      error: status === 403 ? "Forbidden" : status === 404 ? "Not Found" : "Bad Request",
      detail,
      status,
      ...extras,
    },
  });
