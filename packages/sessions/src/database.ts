// Sessions in a database, apart from the main entry so that programs without one need no `@framework/database`.
export { databaseSessions, type DatabaseSessionsOptions } from "./store/database-session-store.ts";
