import type { AppSettings, HttpRequest, Response } from "@framework/core";
import { type UserLogins, userLogins } from "./logins/user-logins.ts";
import { checkUser, type RequestSession, type SessionTools } from "./request-session.ts";
import { recordUseAfterReply, saveSession, type SaveTools } from "./save-session.ts";
import type { SessionCounts } from "./session-counts.ts";
import type { Session } from "./session.ts";
import { type SessionCookie, sessionCookie } from "./session-cookie.ts";
import type { Lifetimes } from "./session-entry.ts";
import { type FoundSession, cookieBackend, type SessionBackend, storeBackend } from "./session-backend.ts";
import type { SessionsConfig } from "./sessions-config.ts";
import { encryptedSeal, type Secret, signedSeal } from "./signed/cookie-seal.ts";
import { failClosed } from "./store/fail-closed.ts";
import type { SessionStore } from "./store/session-store.ts";
import { sharedSessionStore } from "./store/shared-session-store.ts";

/** The sessions of a started app. */
export interface OpenSessions extends SessionTools {
  readonly cookie: SessionCookie;
  /** Returns the id that a cookie names; `null` for none. */
  idOf(cookie: string): string | null;
  /** Returns the session of a cookie; `null` if there is none, `"ended"` if another request has ended it recently. */
  find(cookie: string): Promise<FoundSession | "ended" | null>;
  /** Saves the changes of a request, and sets the cookie. */
  save(session: RequestSession, request: HttpRequest, reply: Response): Promise<void>;
  destroyAll(user: string, except?: Session): Promise<void>;
}

/** Opens the sessions of a starting app. */
export const openSessions = (
  config: SessionsConfig,
  { env, log, shared }: AppSettings,
  counts: SessionCounts,
): OpenSessions => {
  const { clock, cookieName, sameSite, storeTimeoutMs } = config;
  const lifetimes: Lifetimes = { idleMs: config.idleSecs * 1000, absoluteMs: config.absoluteSecs * 1000 };
  const chosen = config.store ?? sharedSessionStore(shared.values, { maxSessions: config.maxSessions });
  const store = failClosed(chosen, { log, clock, timeoutMs: storeTimeoutMs });
  // Numbers outlive every session, including one that a host with a slow clock prolongs.
  const logins = userLogins(store, { lifetimeMs: lifetimes.absoluteMs + lifetimes.idleMs, clock });
  const secure = config.secure ?? (env === "production" ? true : undefined);
  const cookie = sessionCookie({ name: cookieName, sameSite, secure });
  const backend = createBackend(config, store, lifetimes);
  const tools: SaveTools = { backend, lifetimes, cookie, now: clock.date, counts };
  const find = async (value: string): Promise<FoundSession | "ended" | null> => {
    const found = await findAlive(await backend.read(value), logins);
    if (found === null || found === "ended") counts.add("refused");
    return found;
  };
  return {
    cookie,
    idOf: (value) => backend.idOf(value),
    logins,
    maxBytes: backend.maxBytes,
    now: clock.date,
    find,
    async readAgain(value) {
      const found = await find(value);
      if (found === null || found === "ended") return null;
      await recordUseAfterReply(found, tools);
      return found.entry;
    },
    save: (session, request, reply) => saveSession(session, request, reply, tools),
    async destroyAll(user, except) {
      checkUser(user);
      await logins.destroyAll(user);
      if (except?.user === user) await except.login(user);
    },
  };
};

const createBackend = (config: SessionsConfig, store: SessionStore, lifetimes: Lifetimes): SessionBackend => {
  const { secret, signed, encrypt, clock } = config;
  if (!signed || secret === undefined) return storeBackend(store, lifetimes, clock.date);
  const secrets: readonly Secret[] =
    typeof secret === "string" || secret instanceof Uint8Array ? [secret] : secret;
  return cookieBackend(encrypt ? encryptedSeal(secrets) : signedSeal(secrets), store, lifetimes, clock.date);
};

/** Returns `null` for a session whose login was ended by `destroyAll`. */
const findAlive = async (
  found: FoundSession | "ended" | null,
  logins: UserLogins,
): Promise<FoundSession | "ended" | null> => {
  if (found === null || found === "ended") return found;
  const { user, login } = found.entry;
  return user === null || (await logins.isAlive(user, login)) ? found : null;
};
