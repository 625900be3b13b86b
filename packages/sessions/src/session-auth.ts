import {
  type Awaitable,
  type HttpMiddlewareObject,
  type Invocation,
  UnauthorizedError,
} from "@framework/core";
import {
  type AuthDescription,
  type Authenticator,
  type DecisionReasons,
  type Host,
  type IdentitySource,
  recordIdentitySource,
  mapAwaitable,
} from "@framework/core/feature";
import { RequestSession } from "./request-session.ts";
import { CurrentSession, SessionUsed } from "./session.ts";

/** Refuses requests without a session of a logged-in user, with 401: for `use`, and for `anyOf` of `@framework/auth`, together with tokens. */
export interface SessionAuth extends HttpMiddlewareObject, Authenticator {
  /** Called by each app that uses it; a repeated call for the same app has no effect. */
  install(host: Host): void;
  /**
   * Requires a session of a logged-in user. After the reply, such as in a WebSocket, the session is read again, so that `sessionOf` and guards
   * see whether it has ended.
   *
   * @throws UnauthorizedError 401 without a session of a logged-in user; invocations other than requests have none; HttpError 503 when the store fails
   */
  identify(invocation: Invocation): Awaitable<void>;
  /** Names of the request fields that it reads, for `Vary`. */
  credentialFields(): readonly string[];
  /** Whether a canonical path is exempt: always false. */
  skips(path: string): boolean;
  /** Describes the cookie, for API documents. */
  describeAuth(): AuthDescription;
}

/** Dependencies of `sessionAuth`. */
export interface SessionAuthParts {
  /** Reports a problem if `enableSessions` was not called. */
  install(host: Host): void;
  /** Returns the name of the cookie in requests. */
  cookieName(): string;
}

/** Creates the authentication by the session of a request. */
export const sessionAuth = ({ install, cookieName }: SessionAuthParts): SessionAuth => {
  const credentialFields = (): readonly string[] => ["Cookie"];
  const requireUser = (invocation: Invocation): void => {
    if (!hasUser(invocation))
      throw new UnauthorizedError("Authentication required", 'Session realm="Restricted"');
    invocation.context.set(SessionUsed, true);
    recordIdentitySource(checkAgain, invocation);
  };
  const checkAgain: IdentitySource = { identify: requireUser }; // the session has already been read again
  const identify = (invocation: Invocation): Awaitable<void> => {
    const session = invocation.context.get(CurrentSession);
    if (!(session instanceof RequestSession) || !session.closed) return requireUser(invocation);
    return session.refresh().then(() => requireUser(invocation));
  };
  const hosts = new WeakSet<Host>(); // `anyOf` and objects of programs call `install` besides the app
  const observers: DecisionReasons[] = []; // one per app
  return {
    install(host) {
      if (hosts.has(host)) return;
      hosts.add(host);
      observers.push(host.insight.reasons);
      install(host);
    },
    identify,
    credentialFields,
    handle(request, next) {
      request.readCredentials(credentialFields());
      for (const reasons of observers)
        if (reasons.isObserved)
          reasons.give(request, `the request's session has ${hasUser(request) ? "a" : "no"} user`);
      return mapAwaitable(identify(request), () => next(request));
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
