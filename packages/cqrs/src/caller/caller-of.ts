import { FrameworkError, type Invocation } from "@framework/core";
import { principalOf } from "@framework/core/feature";
import { fingerprintOf } from "../idempotency/key-id.ts";

/**
 * Returns the identity of the caller as a string: subject and issuer of the token, the user's name or `id`, and the name of the API key. Without a principal, it is
 * a hash of the field `Authorization`, which a guard of the program may have checked; empty if there is neither.
 *
 * @throws CQRS_UNKNOWN_CALLER for a user that is an object without an `id`
 */
export const callerOf = (invocation: Invocation): string => {
  const principal = principalOf(invocation);
  if (principal === null) return credentialsOf(invocation);
  const { user, claims, apiKeyName } = principal;
  const parts = [
    claims?.sub ?? null,
    claims?.iss ?? null,
    user === undefined ? null : userName(user),
    apiKeyName ?? null,
  ];
  return JSON.stringify(parts);
};

const credentialsOf = ({ headers }: Invocation): string => {
  const sent = headers.get("authorization");
  return sent === null ? "" : fingerprintOf(sent);
};

const userName = (user: unknown): string => {
  const name = typeof user === "object" && user !== null && "id" in user ? user.id : user;
  if (typeof name === "string" || typeof name === "number" || typeof name === "bigint") return String(name);
  throw new FrameworkError(
    "CQRS_UNKNOWN_CALLER",
    "cqrs: the user in the context has no `id`; set `callerOf` of CqrsConfig, which names the caller",
  );
};
