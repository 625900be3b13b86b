/** The measured packages, loaded from their sources, and the servers. */
// oxlint-disable no-restricted-imports -- the bench depends on core only, so that a comparison installs nothing else
export { database, openDatabase } from "../../packages/database/src/index.ts";
export { durable } from "../../packages/durable/src/index.ts";
export { jobs } from "../../packages/jobs/src/index.ts";
export { startPostgres } from "../../tools/services/src/postgres.ts";
export { startRedis } from "../../tools/services/src/redis.ts";
