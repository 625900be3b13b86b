/** The measured packages and the test PostgreSQL, loaded from their sources. */
// oxlint-disable no-restricted-imports -- the bench depends on core only, so that a comparison installs nothing else
export { openDatabase } from "../../packages/database/src/index.ts";
export { openEventStore } from "../../packages/event-sourcing/src/index.ts";
export { startPostgres } from "../../tools/services/src/postgres.ts";
