import { type Invocation, UnauthorizedError } from "@framework/core";
import { SessionId } from "@framework/core/feature";
import type { AuthDescription, SecuritySchemes } from "../auth-description.ts";

interface Described {
  describeAuth(): AuthDescription;
}

/** The authentications that exempted the path of a request. */
const skipped = new WeakMap<Invocation, Described[]>();

/** Records that an authentication exempted a request's path: if a guard then finds no caller, its challenge is that of this authentication. */
export const recordSkipped = (request: Invocation, authentication: Described): void => {
  const known = skipped.get(request);
  if (known === undefined) skipped.set(request, [authentication]);
  else known.push(authentication);
};

/**
 * Creates the 401 of a guard without a caller, with a challenge for each way to authenticate (RFC 9110, section 11.6.1): those of the authentications that
 * exempted the path, and of the request's session; that of `JwtAuth` if neither is known.
 */
export const noCaller = (invocation: Invocation): UnauthorizedError => {
  const challenges = (skipped.get(invocation) ?? []).flatMap((one) =>
    challengesOf(one.describeAuth().schemes),
  );
  if (invocation.context.get(SessionId) !== undefined) challenges.push('Session realm="Restricted"');
  return challenges.length === 0
    ? new UnauthorizedError()
    : new UnauthorizedError(undefined, [...new Set(challenges)].join(", "));
};

/** Cookies and queries have no challenge. */
const challengesOf = (schemes: SecuritySchemes): string[] =>
  Object.entries(schemes).flatMap(([name, scheme]) => {
    if (scheme.type === "http") return [httpChallenge(scheme.scheme)];
    if (name === "bearerAuth") return [httpChallenge("bearer")]; // a token in a custom header field
    return scheme.in === "header" ? [`ApiKey header="${scheme.name}"`] : [];
  });

const httpChallenge = (scheme: string): string =>
  `${scheme.slice(0, 1).toUpperCase()}${scheme.slice(1)} realm="Restricted"${scheme === "basic" ? ', charset="UTF-8"' : ""}`;
