import { randomBytes } from "node:crypto";
import type { HttpRequest } from "@framework/core";
import { type Json, markHandled, SessionId, User } from "@framework/core/feature";
import { sessionEnded, sessionsError } from "./errors.ts";
import { jsonCopy } from "./json-copy.ts";
import type { UserLogins } from "./logins/user-logins.ts";
import { CurrentSession, type Session } from "./session.ts";
import { bytesOf, type SessionContent, type SessionEntry } from "./session-entry.ts";
import type { FoundSession } from "./session-backend.ts";

/** A change of the data, which can be reapplied to data that another request has written meanwhile. */
type Change = (data: Map<string, Json>) => void;

/** Dependencies of `RequestSession`. */
export interface SessionTools {
  readonly logins: UserLogins;
  readonly maxBytes: number;
  readonly now: () => number;
  /** Reads the session of a cookie, which counts as a use; `null` if it has ended. */
  readonly readAgain: (cookie: string) => Promise<SessionEntry | null>;
}

const empty: SessionContent = { user: null, data: new Map() };
const MAX_NAME_LENGTH = 100;
const MAX_USER_LENGTH = 256;

/** The session of one request, with its changes. */
export class RequestSession implements Session {
  /** Id of the session from now on, `null` for none. */
  id: string | null;
  user: string | null;
  /** Value of the cookie that the client has; `null` for none. */
  cookie: string | null = null;
  /** Whether `destroy` was called, which later calls do not undo. */
  hasDestroyed = false;
  private loginNumber: number;
  private createdAt: number;
  private data: ReadonlyMap<string, Json>;
  private readonly changes: Change[] = [];
  private isClosed = false;
  /** Whether another request ended the session of the cookie. */
  private hasEnded: boolean;
  private readonly tools: SessionTools;
  private readonly request: HttpRequest;
  readonly found: FoundSession | null;

  constructor(request: HttpRequest, found: FoundSession | "ended" | null, tools: SessionTools) {
    this.request = request;
    this.tools = tools;
    this.hasEnded = found === "ended";
    this.found = found === "ended" ? null : found;
    const entry = this.found?.entry;
    this.id = this.found?.id ?? null;
    this.user = entry?.user ?? null;
    this.loginNumber = entry?.login ?? 0;
    this.createdAt = entry?.createdAt ?? tools.now();
    this.data = new Map(entry?.data);
    this.announceId();
    this.announceUser(request.context.get(CurrentSession)?.user ?? null); // of an earlier call for the same request
  }

  get(name: string): Json | undefined {
    const value = this.data.get(name);
    return typeof value === "object" && value !== null ? (JSON.parse(JSON.stringify(value)) as Json) : value;
  }

  set(name: string, value: Json): this {
    if (typeof name !== "string" || name === "" || name.length > MAX_NAME_LENGTH)
      throw sessionsError(
        "SESSIONS_BAD_VALUE",
        `a name must be a string of 1 to ${MAX_NAME_LENGTH} characters`,
      );
    const copy = jsonCopy(name, value);
    this.change((data) => data.set(name, copy));
    return this;
  }

  delete(name: string): boolean {
    const had = this.data.has(name);
    if (had) this.change((data) => data.delete(name));
    return had;
  }

  clear(): void {
    if (this.data.size > 0) this.change((data) => data.clear());
  }

  login(user: string): Promise<void> {
    return markHandled(this.loginAs(user));
  }

  private async loginAs(user: string): Promise<void> {
    checkUser(user);
    this.checkOpen();
    this.checkSize({ user, data: this.isOf(user) ? this.data : new Map() });
    const login = await this.tools.logins.begin(user);
    this.checkOpen();
    if (!this.isOf(user)) this.change((data) => data.clear());
    this.hasEnded = false;
    const before = this.user;
    this.user = user;
    this.announceUser(before);
    this.loginNumber = login;
    this.createdAt = this.tools.now();
    this.rotate();
  }

  regenerate(): void {
    this.checkChangeable();
    this.rotate();
  }

  destroy(): void {
    this.checkOpen();
    this.hasDestroyed = true;
    this.id = null;
    const before = this.user;
    this.user = null;
    this.loginNumber = 0;
    this.createdAt = this.tools.now();
    this.data = new Map();
    this.changes.length = 0;
    this.announceId();
    this.announceUser(before);
  }

  /** Refuses changes from now on: the reply is being sent. */
  close(): void {
    this.isClosed = true;
  }

  /** Whether the reply has been returned: from then on the session is read-only. */
  get closed(): boolean {
    return this.isClosed;
  }

  /**
   * Reads the session again, for work that continues after the reply, such as a WebSocket. If it has ended, it becomes empty, and `user` becomes `null`.
   *
   * @throws HttpError 503 when the store fails
   */
  async refresh(): Promise<void> {
    const { id, cookie, tools } = this;
    if (id === null || cookie === null) return;
    const entry = await tools.readAgain(cookie);
    this.data = new Map(entry?.data);
    if (entry !== null && entry.user === this.user) return;
    const before = this.user;
    this.user = entry?.user ?? null;
    this.announceUser(before);
  }

  /** The stored session that this one continues; `null` if there is none, and after `destroy`. */
  get continuedSession(): FoundSession | null {
    return this.hasDestroyed ? null : this.found;
  }

  /** Whether the client has no session after a reply of this status, because `destroy` was called. */
  endsAfter(status: number): boolean {
    return this.hasDestroyed && (this.id === null || status >= 500);
  }

  /** Whether the session has an id that the client does not know yet. */
  get isRotated(): boolean {
    return this.id !== null && this.id !== this.found?.id;
  }

  get isChanged(): boolean {
    return this.changes.length > 0;
  }

  /** The content to write, with the changes applied to `base`. @throws SESSIONS_TOO_LARGE if they do not fit beside another request's changes */
  entry(base: SessionEntry | undefined = this.continuedSession?.entry): SessionEntry {
    const data = new Map(base?.data);
    for (const change of this.changes) change(data);
    const { user } = this;
    if (this.isChanged || this.isRotated) this.checkSize({ user, data }, base ?? empty);
    return { user, login: this.loginNumber, createdAt: this.createdAt, seenAt: this.tools.now(), data };
  }

  private change(change: Change): void {
    this.checkChangeable();
    const data = new Map(this.data);
    change(data);
    this.checkSize({ user: this.user, data });
    this.data = data;
    this.changes.push(change);
    if (this.id === null) {
      this.createdAt = this.tools.now();
      this.rotate();
    }
  }

  /** Whether a login of a user keeps the data. */
  private isOf(user: string): boolean {
    return this.user === null || this.user === user;
  }

  /** Accepts a session above the limit only if it does not grow. */
  private checkSize(content: SessionContent, before: SessionContent = this.content): void {
    const { maxBytes } = this.tools;
    const bytes = bytesOf(content);
    if (bytes <= maxBytes || bytes <= bytesOf(before)) return;
    throw sessionsError(
      "SESSIONS_TOO_LARGE",
      `the user and the data would take ${bytes} bytes as JSON, at most ${maxBytes} are allowed`,
    );
  }

  private get content(): SessionContent {
    return { user: this.user, data: this.data };
  }

  private rotate(): void {
    this.id = randomBytes(32).toString("base64url");
    this.announceId();
  }

  /** Sets the id in the context, for CSRF protection. */
  private announceId(): void {
    this.request.context.set(SessionId, this.id);
  }

  /** Sets the user in the context, for guards. Removes only the previous user of the session: any other was set by an authentication. */
  private announceUser(before: string | null): void {
    const { context } = this.request;
    if (this.user !== null) context.set(User, this.user);
    else if (before !== null && context.get(User) === before) context.set(User, undefined);
  }

  private checkChangeable(): void {
    this.checkOpen();
    if (this.hasEnded) throw sessionEnded();
  }

  private checkOpen(): void {
    if (this.isClosed)
      throw sessionsError("SESSIONS_CLOSED", "the reply has been returned; change the session earlier");
  }
}

/** @throws SESSIONS_BAD_USER */
export const checkUser = (user: unknown): void => {
  if (typeof user !== "string" || user === "" || user.length > MAX_USER_LENGTH)
    throw sessionsError("SESSIONS_BAD_USER", `a user must be a string of 1 to ${MAX_USER_LENGTH} characters`);
};
