import { type HttpRequest, type Key, key } from "@framework/core";
import { type Json, SingleUse } from "@framework/core/feature";
import { sessionsError } from "./errors.ts";

/** The session of a request. Changes are written once, before the reply is sent; a reply with a status of 500 or more drops them. */
export interface Session {
  /** Id of the logged-in user, `null` for a visitor. */
  readonly user: string | null;
  /** Returns a copy of a value, `undefined` if absent; only `set` stores a change to it. */
  get(name: string): Json | undefined;
  /**
   * Sets a value; the first value of a visitor starts a session.
   *
   * @throws SESSIONS_BAD_VALUE, SESSIONS_TOO_LARGE, SESSIONS_CLOSED; SESSIONS_ENDED (409)
   */
  set(name: string, value: Json): this;
  /** Removes a value. Returns whether there was one. @throws SESSIONS_CLOSED; SESSIONS_ENDED (409) */
  delete(name: string): boolean;
  /** Removes all values; the user stays logged in. @throws SESSIONS_CLOSED; SESSIONS_ENDED (409) */
  clear(): void;
  /**
   * Logs a user in, under a new id; the old one ends. The values of a visitor are kept; the values of another user are removed. The absolute lifetime starts
   * again.
   *
   * @param user id of the user, 1 to 256 characters; set in the context under `User`
   * @throws SESSIONS_BAD_USER, SESSIONS_TOO_LARGE, SESSIONS_CLOSED; SESSIONS_UNAVAILABLE and SESSIONS_FULL (503)
   */
  login(user: string): Promise<void>;
  /**
   * Gives the session a new id, and ends the old one: for every change of privileges. A visitor without a session gets one.
   *
   * @throws SESSIONS_CLOSED; SESSIONS_ENDED (409)
   */
  regenerate(): void;
  /** Ends the session and deletes the cookie: the user is logged out on this device, even if the request fails later. @throws SESSIONS_CLOSED */
  destroy(): void;
}

/** The session of a request, set by the feature. */
export const CurrentSession: Key<Session | null> = key<Session | null>("session", null);

/** Whether the session of the request was used, so that the reply may depend on it. */
export const SessionUsed: Key<boolean> = key("session_used", false);

/**
 * Returns the session of a request; for a visitor an empty one, which is not stored until it gets a value. The reply becomes private, and is not cached.
 *
 * @throws SESSIONS_NOT_ENABLED without `enableSessions`, below its `skipPaths`, and before sessions are read, as in the `key` of a rate limit
 */
export const sessionOf = ({ context }: HttpRequest): Session => {
  const session = context.get(CurrentSession);
  if (session === null)
    throw sessionsError(
      "SESSIONS_NOT_ENABLED",
      "call enableSessions() before sessionOf(request), outside of skipPaths, and not before sessions are read, as in the key of a rate limit",
    );
  context.set(SingleUse, true).set(SessionUsed, true);
  return session;
};
