export { Db, database, type DatabaseMethods } from "./database.ts";
export { DatabaseConfig, type PostgresAddress } from "./database-config.ts";
export {
  CommitUnknownError,
  DatabaseError,
  type DatabaseErrorKind,
  DatabaseUnavailableError,
} from "./database-errors.ts";
export { openDatabase } from "./open.ts";
export type {
  QueryMethod,
  Database,
  StatementResult,
  Isolation,
  ListenOptions,
  Queries,
  Row,
  StreamOptions,
  Transaction,
  TransactionOptions,
  UntilOptions,
} from "./queries.ts";
export { sql, type SqlInput, type SqlTag, type Statement } from "./statement.ts";
export type { SqlScalar, SqlValue } from "./sql-value.ts";
export {
  migrate,
  type MigrateFolderOptions,
  type MigrateLimits,
  type MigrateOptions,
  type MigrateSetOptions,
  type MigrationStep,
} from "./migrations/migrate.ts";
export type { SetMigration } from "./migrations/set-migrations.ts";
export { expirySweep, type ExpirySweepOptions } from "./expiry-sweep.ts";
export { sqlTokenStore, type SqlTokenStore, type SqlTokenStoreOptions } from "./sql-token-store.ts";
export { databaseErrors } from "./error-codes.ts";
