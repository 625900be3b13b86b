export { type SessionsErrorCode, sessionsErrors } from "./error-codes.ts";
export type { SessionAuth } from "./session-auth.ts";
export { type Session, sessionOf } from "./session.ts";
export { type Sessions, sessions, type SessionsOfUsers } from "./sessions.ts";
export { SessionsConfig } from "./sessions-config.ts";
export type { Secret } from "./signed/cookie-seal.ts";
export type { SessionStore, StoredSession, WriteOptions } from "./store/session-store.ts";
export { sharedSessionStore, type SharedSessionStoreOptions } from "./store/shared-session-store.ts";
