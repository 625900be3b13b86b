import { FrameworkError, type Invocation } from "@framework/core";
import { principalOf } from "@framework/core/feature";

/**
 * Returns the identity of the caller, as text: the subject of the token, the user's name or `id`, and the name of the API key. Empty for an anonymous caller.
 *
 * @throws CQRS_UNKNOWN_CALLER for a user that is an object without an `id`
 */
export const callerOf = (invocation: Invocation): string => {
  const principal = principalOf(invocation);
  if (principal === null) return "";
  const { user, claims, apiKeyName } = principal;
  const parts = [claims?.sub ?? null, user === undefined ? null : userName(user), apiKeyName ?? null];
  return JSON.stringify(parts);
};

const userName = (user: unknown): string => {
  const name = typeof user === "object" && user !== null && "id" in user ? user.id : user;
  if (typeof name === "string" || typeof name === "number" || typeof name === "bigint") return String(name);
  throw new FrameworkError(
    "CQRS_UNKNOWN_CALLER",
    "cqrs: the user in the context has no `id`; set `callerOf` of CqrsConfig, which names the caller",
  );
};
