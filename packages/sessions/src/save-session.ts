import type { HttpRequest, Response } from "@framework/core";
import { addVary, makePrivate } from "@framework/core/feature";
import { ended } from "./errors.ts";
import type { RequestSession } from "./request-session.ts";
import type { SessionCounts } from "./session-counts.ts";
import type { SessionCookie } from "./session-cookie.ts";
import { type Lives, restOf, type SessionEntry } from "./session-entry.ts";
import { digestOf, type Found, type SessionForm } from "./session-form.ts";
import type { SessionStore } from "./store/session-store.ts";

/** What saving a session needs. */
export interface SaveTools {
  readonly form: SessionForm;
  readonly store: SessionStore;
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
  const { found } = session;
  if (session.isDestroyed) return destroyed(found, request, reply, tools);
  if (reply.status >= 500) return;
  if (session.isRotated) return rotated(session, request, reply, tools);
  if (found === null) return;
  if (session.isChanged) {
    const value = await changed(session, found, tools);
    if (tools.form.isInCookie) setCookie(value, session.entry(), request, reply, tools);
    return;
  }
  await recordUse(session, found, request, reply, tools);
};

const destroyed = async (
  found: Found | null,
  request: HttpRequest,
  reply: Response,
  tools: SaveTools,
): Promise<void> => {
  if (found !== null) {
    await tools.store.end(digestOf(found.id), tools.form.endedMs);
    tools.counts.add("destroyed");
  }
  tools.cookie.remove(request, reply);
  keepFromCaches(reply);
};

/** The new id is written first, so that a failure leaves the old session as it was. */
const rotated = async (
  session: RequestSession,
  request: HttpRequest,
  reply: Response,
  tools: SaveTools,
): Promise<void> => {
  const { found } = session;
  const entry = session.entry();
  const value = await tools.form.write(session.id ?? "", 0, entry, rest(entry, tools));
  if (value === null) throw ended(); // two equal ids of 256 random bits
  if (found !== null) await tools.store.end(digestOf(found.id), tools.form.endedMs);
  tools.counts.add(found === null ? "created" : "rotated");
  setCookie(value, entry, request, reply, tools);
};

const changed = async (session: RequestSession, found: Found, tools: SaveTools): Promise<string> => {
  let latest: Found = found;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const entry = session.entry(latest.entry);
    const value = await tools.form.write(latest.id, latest.version, entry, rest(entry, tools));
    if (value !== null) return value;
    const again = await tools.form.read(found.id);
    if (again === null || again === "ended") throw ended();
    latest = again;
  }
  throw ended();
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
  if (entry.seenAt - found.entry.seenAt < tools.lives.idleMs * RECORDED_PART) return;
  const value = await tools.form.write(found.id, found.version, entry, rest(entry, tools)).catch(() => null);
  if (value !== null && tools.form.isInCookie) setCookie(value, entry, request, reply, tools);
};

const rest = (entry: SessionEntry, { lives, now }: SaveTools): number =>
  Math.max(1, Math.ceil(restOf(entry, lives, now())));

const setCookie = (
  value: string,
  { createdAt }: SessionEntry,
  request: HttpRequest,
  reply: Response,
  { cookie, lives, now }: SaveTools,
): void => {
  cookie.set(request, reply, value, Math.max(1, Math.ceil((createdAt + lives.absoluteMs - now()) / 1000)));
  keepFromCaches(reply);
};

/** For a reply that depends on a session, or sets its cookie. */
export const keepFromCaches = (reply: Response): void => {
  makePrivate(reply);
  addVary(reply.headers, "Cookie");
};
