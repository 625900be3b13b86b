/** The measured packages, loaded from their sources. */
// oxlint-disable no-restricted-imports -- the bench depends on core only, so that a comparison installs nothing else
export { command, cqrs, type CqrsMethods, query } from "../../packages/cqrs/src/index.ts";
export {
  type Database,
  type DatabaseMethods,
  Db,
  openDatabase,
  type Transaction,
} from "../../packages/database/src/index.ts";
export { durable, type DurableMethods } from "../../packages/durable/src/index.ts";
export { startPostgres } from "../../tools/services/src/postgres.ts";
