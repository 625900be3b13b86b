import { type HttpMiddlewareObject, type Invocation, UnauthorizedError } from "@framework/core";
import type { AuthDescription, Authenticator, DecisionReasons, Host } from "@framework/core/feature";
import { CurrentSession, SessionUsed } from "./session.ts";

/** Refuses requests without a session of a logged-in user, with 401: for `use`, and for `anyOf` of `@framework/auth` beside tokens. */
export interface SessionAuth extends HttpMiddlewareObject, Authenticator {
  /** Called once by each app that uses it. */
  install(host: Host): void;
  /** @throws UnauthorizedError 401 without a session of a logged-in user; invocations other than requests have none */
  identify(invocation: Invocation): void;
  /** Names of the request fields that it reads, for `Vary`. */
  credentialFields(): readonly string[];
  /** Whether a canonical path is exempt: none is. */
  skips(path: string): boolean;
  /** Describes the cookie, for API documents. */
  describeAuth(): AuthDescription;
}

/** What the authentication needs of the feature. */
export interface SessionAuthParts {
  /** Reports a use without `enableSessions`. */
  install(host: Host): void;
  /** Returns the name that the cookie has in requests. */
  cookieName(): string;
}

/** Creates the authentication by the session of a request. */
export const sessionAuth = ({ install, cookieName }: SessionAuthParts): SessionAuth => {
  const credentialFields = (): readonly string[] => ["Cookie"];
  const identify = ({ context }: Invocation): void => {
    if (!hasUser({ context }))
      throw new UnauthorizedError("Authentication required", 'Session realm="Restricted"');
    context.set(SessionUsed, true);
  };
  const observers: DecisionReasons[] = []; // one for each app that uses it, where a tool listens
  return {
    install(host) {
      const { reasons } = host.insight;
      if (reasons.isObserved) observers.push(reasons);
      install(host);
    },
    identify,
    credentialFields,
    handle(request, next) {
      request.readCredentials(credentialFields());
      for (const reasons of observers)
        reasons.give(request, `the request's session has ${hasUser(request) ? "a" : "no"} user`);
      identify(request);
      return next(request);
    },
    skips: () => false,
    describeAuth: () => describeCookie(cookieName()),
  };
};

const hasUser = ({ context }: Pick<Invocation, "context">): boolean =>
  (context.get(CurrentSession)?.user ?? null) !== null;

/** Describes the cookie of sessions, for API documents. */
const describeCookie = (name: string): AuthDescription => ({
  schemes: {
    sessionCookie: { type: "apiKey", in: "cookie", name, description: "The session of a logged-in user." },
  },
  skips: () => false,
});
