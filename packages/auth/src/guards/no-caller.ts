import { type Invocation, UnauthorizedError } from "@framework/core";
import { SessionId } from "@framework/core/feature";
import type { AuthDescription, SecuritySchemes } from "../auth-description.ts";

interface DescribesAuth {
  describeAuth(): AuthDescription;
  /** Returns the challenges of its 401, if its security schemes do not determine them. */
  challenges?(): readonly string[];
}

/** The authentications that exempted the path of a request. */
const skipped = new WeakMap<Invocation, DescribesAuth[]>();

/** Records that an authentication exempted the path of a request. If a guard then finds no caller, its 401 has the challenge of this authentication. */
export const recordSkipped = (request: Invocation, authentication: DescribesAuth): void => {
  const known = skipped.get(request);
  if (known === undefined) skipped.set(request, [authentication]);
  else known.push(authentication);
};

/**
 * Creates the 401 of a guard without a caller, with a challenge for each way to authenticate (RFC 9110, section 11.6.1): the challenges of the authentications
 * that exempted the path, and of the request's session; the challenge of `JwtAuth` if there are neither.
 */
export const noCaller = (invocation: Invocation): UnauthorizedError => {
  const challenges = (skipped.get(invocation) ?? []).flatMap(challengesOf);
  if (invocation.context.get(SessionId) !== undefined) challenges.push('Session realm="Restricted"');
  return challenges.length === 0
    ? new UnauthorizedError()
    : new UnauthorizedError(undefined, [...new Set(challenges)].join(", "));
};

/** Returns the challenges of an authentication. */
export const challengesOf = (one: DescribesAuth): readonly string[] =>
  one.challenges?.() ?? schemeChallenges(one.describeAuth().schemes);

/** Returns the challenges of security schemes; cookies and queries have none. */
const schemeChallenges = (schemes: SecuritySchemes): readonly string[] =>
  Object.values(schemes).flatMap((scheme) => {
    if (scheme.type === "http") return [httpChallenge(scheme.scheme)];
    return scheme.in === "header" ? [`ApiKey header="${scheme.name}"`] : [];
  });

const httpChallenge = (scheme: string): string =>
  `${scheme.slice(0, 1).toUpperCase()}${scheme.slice(1)} realm="Restricted"${scheme === "basic" ? ', charset="UTF-8"' : ""}`;
