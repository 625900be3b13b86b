import type { HttpRequest } from "@framework/core";
import { describeInvalid, principalOf } from "@framework/core/feature";

/** Returns the default name of a caller, with its kind: `key:billing`, `user:ann`, `client:web`, `subject:42`; `null` for an anonymous one. */
export const callerOf = (request: HttpRequest): string | null => {
  const { apiKeyName, user, claims } = principalOf(request) ?? {};
  const client = claims?.["client_id"] ?? claims?.["azp"]; // RFC 9068 2.2, OpenID Connect Core 2
  return (
    label("key", apiKeyName) ??
    label("user", user) ??
    label("client", client) ??
    label("subject", claims?.sub)
  );
};

const label = (kind: string, name: unknown): string | null =>
  typeof name === "string" && name !== "" ? `${kind}:${name}` : null;

/** Returns the name that `callerOf` of the configuration found; `null` for none. @throws TypeError for other types */
export const nameOf = (found: unknown): string | null => {
  if (found === null || found === undefined || found === "") return null;
  if (typeof found === "string") return found;
  throw new TypeError(`deprecation: callerOf must return a string or null, not ${describeInvalid(found)}`);
};
