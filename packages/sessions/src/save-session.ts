import type { HttpRequest, Response } from "@framework/core";
import { addVary, makePrivate } from "@framework/core/feature";
import { ended } from "./errors.ts";
import type { RequestSession } from "./request-session.ts";
import type { SessionCounts } from "./session-counts.ts";
import type { SessionCookie } from "./session-cookie.ts";
import { type Lives, restOf, type SessionEntry } from "./session-entry.ts";
import type { Found, SessionForm } from "./session-form.ts";

/** What saving a session needs. */
export interface SaveTools {
  readonly form: SessionForm;
  readonly lives: Lives;
  readonly cookie: SessionCookie;
  readonly now: () => number;
  readonly counts: SessionCounts;
}

/** Attempts to apply changes to what other requests write meanwhile; at least one of them succeeds in each round. */
const MAX_ATTEMPTS = 100;
/** A use is recorded after this part of the idle life: one write for many requests. */
const RECORDED_PART = 0.1;

/** Writes the changes of a request, and sets the cookie. @throws HttpError 503 when they are not written, 409 when the session has ended meanwhile */
export const saveSession = async (
  session: RequestSession,
  request: HttpRequest,
  reply: Response,
  tools: SaveTools,
): Promise<void> => {
  session.close();
  const { found, continued } = session;
  if (session.hasDestroyed && found !== null) await destroyed(found, tools);
  if (session.endsAfter(reply.status)) return removeCookie(request, reply, tools);
  if (reply.status >= 500) return;
  if (session.isRotated) return rotated(session, request, reply, tools);
  if (continued === null) return;
  if (session.isChanged) {
    const value = await changed(session, continued, tools);
    if (tools.form.isInCookie) setCookie(value, session.entry(), session, request, reply, tools);
    return;
  }
  await recordUse(session, continued, request, reply, tools);
};

const destroyed = async ({ id }: Found, { form, counts }: SaveTools): Promise<void> => {
  if (await form.end(id)) counts.add("destroyed");
};

/** The new id is written first, so that a failure leaves the old session as it was. */
const rotated = async (
  session: RequestSession,
  request: HttpRequest,
  reply: Response,
  tools: SaveTools,
): Promise<void> => {
  const { continued } = session;
  const id = session.id ?? "";
  const entry = session.entry();
  const value = await tools.form.write(id, 0, entry, rest(entry, tools));
  if (value === null) throw ended(); // two equal ids of 256 random bits
  try {
    setCookie(value, entry, session, request, reply, tools);
    if (continued !== null) await moved(session, id, continued, tools);
  } catch (error) {
    await tools.form.end(id).catch(() => {}); // no client gets the id, and the store has logged the failure
    throw error;
  }
  tools.counts.add(continued === null ? "created" : "rotated");
};

/** Ends the old id while its content is what was copied to the new one; what another request has written meanwhile is copied first. */
const moved = async (
  session: RequestSession,
  id: string,
  continued: Found,
  { form, ...tools }: SaveTools,
): Promise<void> => {
  let latest = continued;
  for (let version = 1; version < MAX_ATTEMPTS; version++) {
    if (await form.endAsFound(latest)) return;
    latest = await readAgain(continued.id, form);
    const entry = session.entry(latest.entry);
    if ((await form.write(id, version, entry, rest(entry, tools))) === null) throw ended();
  }
  throw ended();
};

const changed = async (session: RequestSession, found: Found, tools: SaveTools): Promise<string> => {
  let latest: Found = found;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const entry = session.entry(latest.entry);
    const value = await tools.form.write(latest.id, latest.version, entry, rest(entry, tools));
    if (value !== null) return value;
    latest = await readAgain(found.id, tools.form);
  }
  throw ended();
};

/** Reads what another request has written. @throws HttpError 409 when it has ended the session */
const readAgain = async (id: string, form: SessionForm): Promise<Found> => {
  const again = await form.read(id);
  if (again === null || again === "ended") throw ended();
  return again;
};

/** Prolongs the idle life. The reply claims nothing that depends on it, so a failure is left to the log of the store. */
const recordUse = async (
  session: RequestSession,
  found: Found,
  request: HttpRequest,
  reply: Response,
  tools: SaveTools,
): Promise<void> => {
  const entry = session.entry();
  const value = await prolonged(found, entry, tools);
  if (value !== null && tools.form.isInCookie) setCookie(value, entry, session, request, reply, tools);
};

/** Writes a use where the last one that was recorded is long ago. Returns the value of the cookie, `null` when nothing was written. */
const prolonged = async (found: Found, entry: SessionEntry, tools: SaveTools): Promise<string | null> => {
  if (entry.seenAt - found.entry.seenAt < tools.lives.idleMs * RECORDED_PART) return null;
  return tools.form.write(found.id, found.version, entry, rest(entry, tools)).catch(() => null);
};

/** Prolongs the idle life for a use after the reply, such as by a WebSocket; not in the cookie, which no reply can set any more. */
export const recordLateUse = async (found: Found, tools: SaveTools): Promise<void> => {
  if (!tools.form.isInCookie) await prolonged(found, { ...found.entry, seenAt: tools.now() }, tools);
};

const rest = (entry: SessionEntry, { lives, now }: Pick<SaveTools, "lives" | "now">): number =>
  Math.max(1, Math.ceil(restOf(entry, lives, now())));

const setCookie = (
  value: string,
  { createdAt }: SessionEntry,
  session: RequestSession,
  request: HttpRequest,
  reply: Response,
  { cookie, lives, now }: SaveTools,
): void => {
  session.cookie = value;
  cookie.set(request, reply, value, Math.max(1, Math.ceil((createdAt + lives.absoluteMs - now()) / 1000)));
  keepFromCaches(reply);
};

const removeCookie = (request: HttpRequest, reply: Response, { cookie }: SaveTools): void => {
  cookie.remove(request, reply);
  keepFromCaches(reply);
};

/** For a reply that depends on a session, or sets its cookie. */
export const keepFromCaches = (reply: Response): void => {
  makePrivate(reply);
  addVary(reply.headers, "Cookie");
};
