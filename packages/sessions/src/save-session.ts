import type { HttpRequest, Response } from "@framework/core";
import { addVary, makePrivate } from "@framework/core/feature";
import { sessionEnded } from "./errors.ts";
import type { RequestSession } from "./request-session.ts";
import type { SessionCounts } from "./session-counts.ts";
import type { SessionCookie } from "./session-cookie.ts";
import { type Lifetimes, remainingMs, type SessionEntry } from "./session-entry.ts";
import type { FoundSession, SessionBackend } from "./session-backend.ts";

/** Dependencies of `saveSession`. */
export interface SaveTools {
  readonly backend: SessionBackend;
  readonly lifetimes: Lifetimes;
  readonly cookie: SessionCookie;
  readonly now: () => number;
  readonly counts: SessionCounts;
}

/** Maximum number of attempts to apply changes while other requests write; in each round at least one request succeeds. */
const MAX_ATTEMPTS = 100;
/** Fraction of the idle lifetime after which a use is recorded: one write for many requests. */
const RECORDED_FRACTION = 0.1;

/**
 * Saves the changes of a request, and sets the cookie.
 *
 * @throws HttpError 503 if they cannot be written, 409 if the session has ended meanwhile; SESSIONS_TOO_LARGE if they do not fit beside the changes of another
 * request
 */
export const saveSession = async (
  session: RequestSession,
  request: HttpRequest,
  reply: Response,
  tools: SaveTools,
): Promise<void> => {
  session.close();
  const { found, continuedSession } = session;
  if (session.hasDestroyed && found !== null) await endSession(found, tools);
  if (session.endsAfter(reply.status)) return removeCookie(request, reply, tools);
  if (reply.status >= 500) return;
  if (session.isRotated) return saveRotated(session, request, reply, tools);
  if (continuedSession === null) return;
  if (session.isChanged) {
    const value = await saveChanges(session, continuedSession, tools);
    if (tools.backend.isInCookie) setCookie(value, session.entry(), session, request, reply, tools);
    return;
  }
  await recordUse(session, continuedSession, request, reply, tools);
};

const endSession = async ({ id }: FoundSession, { backend, counts }: SaveTools): Promise<void> => {
  if (await backend.end(id)) counts.add("destroyed");
};

/** Writes the new id first, so that a failure leaves the old session unchanged. */
const saveRotated = async (
  session: RequestSession,
  request: HttpRequest,
  reply: Response,
  tools: SaveTools,
): Promise<void> => {
  const { continuedSession } = session;
  const id = session.id ?? "";
  const entry = session.entry();
  const value = await tools.backend.write(id, 0, entry, ttlOf(entry, tools));
  if (value === null) throw sessionEnded(); // a collision of two ids of 256 random bits
  try {
    setCookie(value, entry, session, request, reply, tools);
    if (continuedSession !== null) await endOldId(session, id, continuedSession, tools);
  } catch (error) {
    await tools.backend.end(id).catch(() => {}); // no client gets the id, and the store has logged the failure
    throw error;
  }
  tools.counts.add(continuedSession === null ? "created" : "rotated");
};

/** Ends the old id if its content is the one copied to the new id; if another request has changed it meanwhile, copies it again first. */
const endOldId = async (
  session: RequestSession,
  id: string,
  oldSession: FoundSession,
  { backend, ...tools }: SaveTools,
): Promise<void> => {
  let latest = oldSession;
  for (let version = 1; version <= MAX_ATTEMPTS; version++) {
    if (await backend.endIfUnchanged(latest)) return;
    latest = await readAgain(oldSession.id, backend);
    const entry = session.entry(latest.entry);
    if ((await backend.write(id, version, entry, ttlOf(entry, tools))) === null) throw sessionEnded();
  }
  throw sessionEnded();
};

const saveChanges = async (
  session: RequestSession,
  found: FoundSession,
  tools: SaveTools,
): Promise<string> => {
  let latest: FoundSession = found;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const entry = session.entry(latest.entry);
    const value = await tools.backend.write(latest.id, latest.version, entry, ttlOf(entry, tools));
    if (value !== null) return value;
    latest = await readAgain(found.id, tools.backend);
  }
  throw sessionEnded();
};

/** Reads the session that another request has changed. @throws HttpError 409 if that request has ended it */
const readAgain = async (id: string, backend: SessionBackend): Promise<FoundSession> => {
  const again = await backend.read(id);
  if (again === null || again === "ended") throw sessionEnded();
  return again;
};

/** Extends the idle lifetime. A failure is only logged by the store, because the reply does not depend on it. */
const recordUse = async (
  session: RequestSession,
  found: FoundSession,
  request: HttpRequest,
  reply: Response,
  tools: SaveTools,
): Promise<void> => {
  const entry = session.entry();
  const value = await extendLifetime(found, entry, tools);
  if (value !== null && tools.backend.isInCookie) setCookie(value, entry, session, request, reply, tools);
};

/** Records a use if the last recorded one is old enough. Returns the value of the cookie, `null` if nothing was written. */
const extendLifetime = async (
  found: FoundSession,
  entry: SessionEntry,
  tools: SaveTools,
): Promise<string | null> => {
  if (entry.seenAt - found.entry.seenAt < tools.lifetimes.idleMs * RECORDED_FRACTION) return null;
  return tools.backend.write(found.id, found.version, entry, ttlOf(entry, tools)).catch(() => null);
};

/** Extends the idle lifetime for a use after the reply, such as by a WebSocket; not for a session in the cookie, which can no longer be set. */
export const recordUseAfterReply = async (found: FoundSession, tools: SaveTools): Promise<void> => {
  if (!tools.backend.isInCookie) await extendLifetime(found, { ...found.entry, seenAt: tools.now() }, tools);
};

const ttlOf = (entry: SessionEntry, { lifetimes, now }: Pick<SaveTools, "lifetimes" | "now">): number =>
  Math.max(1, Math.ceil(remainingMs(entry, lifetimes, now())));

const setCookie = (
  value: string,
  { createdAt }: SessionEntry,
  session: RequestSession,
  request: HttpRequest,
  reply: Response,
  { cookie, lifetimes, now }: SaveTools,
): void => {
  session.cookie = value;
  cookie.set(
    request,
    reply,
    value,
    Math.max(1, Math.ceil((createdAt + lifetimes.absoluteMs - now()) / 1000)),
  );
  keepFromCaches(reply);
};

const removeCookie = (request: HttpRequest, reply: Response, { cookie }: SaveTools): void => {
  cookie.remove(request, reply);
  keepFromCaches(reply);
};

/** Makes a reply private, because it depends on a session or sets its cookie. */
export const keepFromCaches = (reply: Response): void => {
  makePrivate(reply);
  addVary(reply.headers, "Cookie");
};
