import { type AppSettings, HttpError } from "@framework/core";
import { hidesReason } from "@framework/core/feature";
import { GraphQLError, type GraphQLFormattedError } from "graphql";
import { isResolverError } from "../schema/resolver-errors.ts";

const UNEXPECTED = "An unexpected error occurred";
const INTERNAL = "Internal Server Error";

/** Formats an error for clients, with the framework's error body in `extensions`, and logs unexpected errors. */
export type PresentError = (error: Error) => GraphQLFormattedError;

/**
 * Creates the formatter of an app. Clients see mistakes of the request, HttpErrors except 500, and GraphQLErrors that resolvers throw or return. Every other
 * error is logged, and its message is shown only with `debug` outside production.
 */
export const errorPresenter = ({
  debug,
  env,
  log,
}: Pick<AppSettings, "debug" | "env" | "log">): PresentError => {
  const showsInternals = debug && env !== "production";
  const fault = (located: GraphQLError, cause: Error): GraphQLFormattedError => {
    log.error(`graphql: a resolver failed: ${cause.message}`, { error: cause, path: pathOf(located) });
    const detail = showsInternals ? cause.message : UNEXPECTED;
    return withPlace(located, detail, { error: INTERNAL, detail, status: 500 });
  };
  const refusal = (located: GraphQLError, cause: HttpError): GraphQLFormattedError => {
    const { error, detail, status, extras } = cause;
    if (status === 500) return fault(located, cause);
    if (hidesReason(cause))
      log.warn(`graphql: a resolver failed: ${cause.message}`, { error: cause, path: pathOf(located) });
    return withPlace(located, detail, { ...extras, error, detail, status });
  };
  return (error) => {
    if (!(error instanceof GraphQLError)) return fault(new GraphQLError(error.message), error);
    const cause = causeOf(error);
    if (cause === null)
      return error.path === undefined || isResolverError(error) ? plain(error) : fault(error, error);
    if (HttpError.is(cause)) return refusal(error, cause);
    if (!(cause instanceof GraphQLError)) return fault(error, cause);
    if (isResolverError(cause)) return withPlace(error, error.message, error.extensions);
    return cause.locations !== undefined || isRequestError(error) ? plain(error) : fault(error, cause);
  };
};

const pathOf = ({ path }: GraphQLError): string | null => path?.join(".") ?? null;

/** Whether it is a request error, not an error of a field, such as a variable with an invalid enum value. */
const isRequestError = ({ path, locations }: GraphQLError): boolean =>
  path === undefined && locations !== undefined;

/** Returns the innermost error that GraphQL wrapped; `null` for an error of GraphQL itself. */
const causeOf = (error: GraphQLError): Error | null => {
  const { originalError } = error;
  if (originalError === undefined || originalError === error) return null;
  return originalError instanceof GraphQLError &&
    originalError.originalError !== undefined &&
    !isResolverError(originalError)
    ? causeOf(originalError)
    : originalError;
};

/** Formats an error for clients. Without a path it gets the error body of a bad request, unless its extensions have one. */
const plain = (error: GraphQLError): GraphQLFormattedError => {
  const { message, extensions } = error;
  if (error.path !== undefined) return withPlace(error, message, extensions);
  return withPlace(error, message, { error: "Bad Request", detail: message, status: 400, ...extensions });
};

const withPlace = (
  { locations, path }: GraphQLError,
  message: string,
  extensions: Readonly<Record<string, unknown>>,
): GraphQLFormattedError => ({
  message,
  ...(locations !== undefined && { locations }),
  ...(path !== undefined && { path }),
  ...(Object.keys(extensions).length > 0 && { extensions }),
});
