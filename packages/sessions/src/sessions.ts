import {
  type AppSettings,
  type Awaitable,
  type HttpRequest,
  type Middleware,
  type Problem,
  type Response,
} from "@framework/core";
import {
  explainedBy,
  BodyStream,
  type ConfigInput,
  coversPath,
  type Feature,
  markHandled,
  recordIdentitySource,
  isPromise,
  UnreadSessionId,
  unusedFields,
} from "@framework/core/feature";
import { endedReply, sessionsError, unavailableReply } from "./errors.ts";
import { type SessionAuth, sessionAuth } from "./session-auth.ts";
import { CurrentSession, type Session, SessionUsed } from "./session.ts";
import { contradictions, SessionsConfig } from "./sessions-config.ts";
import { openSessions, type OpenSessions } from "./open-sessions.ts";
import { SessionCounts } from "./session-counts.ts";
import { withReasons } from "./session-reasons.ts";
import { keepFromCaches } from "./save-session.ts";
import { RequestSession } from "./request-session.ts";

/** Sessions of users, as `app.sessions`. */
export interface SessionsOfUsers {
  /**
   * Ends every session of a user, on all hosts, such as after a change of password or the loss of a device. Requests in flight keep the session that they
   * have read; a WebSocket must call `auth.identify`.
   *
   * @param options `except` is the session of the current request, which continues under a new id
   * @throws SESSIONS_BAD_USER, SESSIONS_NOT_STARTED; SESSIONS_UNAVAILABLE and SESSIONS_FULL (503)
   */
  destroyAll(user: string, options?: { readonly except?: Session }): Promise<void>;
  /** Refuses requests without a session of a logged-in user: for `use`, or `anyOf(jwt, app.sessions.auth)` of `@framework/auth`. */
  readonly auth: SessionAuth;
}

/** Members that the feature adds to an app. */
export interface Sessions {
  /** Gives requests a session, identified by a cookie. @throws CORE_BAD_CONFIG and SESSIONS_NO_SECRET at start, together with all other configuration errors */
  enableSessions(config?: ConfigInput<SessionsConfig>): this;
  /** Sessions of users. */
  readonly sessions: SessionsOfUsers;
}

/**
 * Sessions by cookie, in shared state, a database or the cookie itself.
 *
 * @example
 * const app = new (App.with(sessions))().enableSessions();
 * app.post("/login", async (request) => { await sessionOf(request).login(user.id); });
 */
export const sessions: Feature<Sessions> = {
  name: "sessions",
  install(host) {
    let opened: OpenSessions | null = null;
    let configured: SessionsConfig | null = null;
    const auth = sessionAuth({
      install: (owner) => owner.check(() => (configured === null ? [notEnabled] : [])),
      cookieName: () => opened?.cookie.usualName ?? configured?.cookieName ?? "",
    });
    const requireOpen = (): OpenSessions => {
      if (opened !== null) return opened;
      throw sessionsError(
        "SESSIONS_NOT_STARTED",
        "call enableSessions() and start the app before using app.sessions",
      );
    };
    const destroyAll = async (user: string, except?: Session): Promise<void> =>
      requireOpen().destroyAll(user, except);
    return {
      enableSessions(input) {
        const config = host.configure(SessionsConfig, input);
        configured = config;
        for (const message of contradictions(config)) host.problem({ code: "SESSIONS_NO_SECRET", message });
        if (config.store !== undefined)
          for (const problem of unusedFields(
            SessionsConfig,
            input,
            ["maxSessions"],
            "the feature's own store",
          ))
            host.problem(problem);
        host.advise(({ sharedPorts }) =>
          config.store === undefined && !sharedPorts.includes("values") ? [inMemory] : [],
        );
        const counts = new SessionCounts();
        host.insight.metric(counts.metric());
        const begin = async (settings: AppSettings): Promise<void> => {
          opened = openSessions(config, settings, counts);
          if (config.store === undefined) await warnOfMemory(settings);
        };
        host.life.onStart({ name: "sessions", run: begin });
        const skips = coversPath(config.skipPaths);
        host.http.impliesReplies(({ path }) => (skips(path) ? [] : [endedReply, unavailableReply]));
        host.http.identifies(() => ({ ...auth.describeAuth(), skips }));
        const middleware: Middleware<HttpRequest, Response> = function sessions(request, next) {
          if (opened === null) return next(request);
          return skips(request.path)
            ? withoutSession(opened, request, next)
            : withSession(opened, request, next);
        };
        const { reasons } = host.insight;
        const hasCookie = (request: HttpRequest): boolean => (opened?.cookie.read(request) ?? null) !== null;
        host.http.use(
          "session",
          explainedBy(middleware, withReasons(middleware, { skips, hasCookie, reasons })),
        );
        return this;
      },
      get sessions() {
        return {
          destroyAll: (user: string, options?: { readonly except?: Session }) =>
            markHandled(destroyAll(user, options?.except)),
          auth,
        };
      },
    };
  },
};

type Next = Parameters<Middleware<HttpRequest, Response>>[1];

/** Provides the session id for the CSRF token, which must also be valid on a path without sessions; the cookie is read on first use. */
const withoutSession = (sessions: OpenSessions, request: HttpRequest, next: Next): Awaitable<Response> => {
  let id: string | null | undefined;
  const read = (): string | null => {
    const cookie = sessions.cookie.read(request);
    return cookie === null ? null : sessions.idOf(cookie);
  };
  request.context.set(UnreadSessionId, () => (id === undefined ? (id = read()) : id));
  return next(request);
};

const withSession = (sessions: OpenSessions, request: HttpRequest, next: Next): Awaitable<Response> => {
  const cookie = sessions.cookie.read(request);
  if (cookie === null) return respond(sessions, new RequestSession(request, null, sessions), request, next);
  return sessions.find(cookie).then((found) => {
    const session = new RequestSession(request, found, sessions);
    session.cookie = cookie;
    if (request.upgrade !== null) recordIdentitySource({ identify: () => session.refresh() }, request);
    return respond(sessions, session, request, next);
  });
};

const respond = (
  sessions: OpenSessions,
  session: RequestSession,
  request: HttpRequest,
  next: Next,
): Awaitable<Response> => {
  request.context.set(CurrentSession, session);
  const reply = next(request);
  return isPromise(reply)
    ? reply.then((response) => saveAfter(sessions, session, request, response))
    : saveAfter(sessions, session, request, reply);
};

/** Saves the changes of the request; synchronous if it had no session and started none. */
const saveAfter = (
  sessions: OpenSessions,
  session: RequestSession,
  request: HttpRequest,
  reply: Response,
): Awaitable<Response> => {
  if (request.context.get(SessionUsed) && reply.status !== 101) keepFromCaches(reply);
  if (session.found === null && !session.isRotated && !session.hasDestroyed) {
    session.close();
    return reply;
  }
  return sessions.save(session, request, reply).then(
    () => reply,
    (error: unknown) => {
      // The reply is not sent, so its body is not read and its error is irrelevant.
      if (reply.payload instanceof BodyStream) reply.payload.cancel().catch(() => {});
      throw error;
    },
  );
};

const notEnabled: Problem = {
  code: "SESSIONS_NOT_ENABLED",
  message: "app.sessions.auth is used, but sessions are not enabled: call enableSessions()",
};

const inMemory: Problem = {
  code: "SESSIONS_IN_MEMORY",
  message:
    "sessions are kept in the memory of this host: a restart ends them, and other hosts do not have them; use Redis, or set SessionsConfig.store",
};

const WARNED_KEY = "sessions:memory-warning";
/** Longer than all workers take to start. */
const WARNED_TTL_MS = 600_000;

/** In production, logs in one of the workers that sessions are kept in memory. */
const warnOfMemory = async ({ env, shared: { values }, log }: AppSettings): Promise<void> => {
  if (env !== "production" || values.isPersistent) return;
  if (!(await values.set(WARNED_KEY, 1, { ttlMs: WARNED_TTL_MS, ifAbsent: true }))) return;
  log.warn(inMemory.message, { code: inMemory.code });
};
