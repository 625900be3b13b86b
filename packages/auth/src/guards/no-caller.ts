import { type Invocation, UnauthorizedError } from "@framework/core";
import { SessionId } from "@framework/core/feature";
import type { AuthDescription, SecuritySchemes } from "../auth-description.ts";

interface Described {
  describeAuth(): AuthDescription;
}

/** The authentications that exempted the path of a request. */
const skipped = new WeakMap<Invocation, Described[]>();

/** Records that an authentication exempted a request's path: a guard that then finds no caller asks for the credentials of this authentication. */
export const recordSkipped = (request: Invocation, authentication: Described): void => {
  const known = skipped.get(request);
  if (known === undefined) skipped.set(request, [authentication]);
  else known.push(authentication);
};

/**
 * The refusal of a guard that finds no caller. Its challenges are those of what may identify one (RFC 9110, section 11.6.1): the authentications that
 * exempted the path, and the session of the request; that of `JwtAuth` where neither is known.
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
    if (name === "bearerAuth") return [httpChallenge("bearer")]; // a token in a field of its own
    return scheme.in === "header" ? [`ApiKey header="${scheme.name}"`] : [];
  });

const httpChallenge = (scheme: string): string =>
  `${scheme.slice(0, 1).toUpperCase()}${scheme.slice(1)} realm="Restricted"${scheme === "basic" ? ', charset="UTF-8"' : ""}`;
