// A separate entry point, so that programs without a database do not need `@framework/database`.
export { databaseSessions, type DatabaseSessionsOptions } from "./store/database-session-store.ts";
