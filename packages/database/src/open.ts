import type { Backend } from "./backend.ts";
import { type ConfigInput, operationsWithoutApp } from "@framework/core/feature";
import { DatabaseConfig } from "./database-config.ts";
import { OpenDatabase } from "./open-database.ts";
import type { Database } from "./queries.ts";
import { LocalNotifications } from "./local-notifications.ts";
import { PostgresBackend } from "./postgres/postgres-backend.ts";
import { SqliteBackend } from "./sqlite/sqlite-backend.ts";
import { sqliteLocation } from "./sqlite/sqlite-location.ts";
import { statementOperation } from "./statement-operation.ts";
import { WatchedBackend } from "./watch.ts";

/** A backend, with local notifications for a database that has none. */
export interface BackendAndNotifications {
  readonly backend: Backend;
  readonly notifications: LocalNotifications;
}

/** Creates the backend for a URL; it connects on first use. */
export const openBackend = (
  config: DatabaseConfig,
  onIdleError: (error: Error) => void,
): BackendAndNotifications => {
  const notifications = new LocalNotifications();
  const location = sqliteLocation(config.url);
  const backend = location === null ? postgres(config, onIdleError) : sqlite(location, config, notifications);
  return { notifications, backend };
};

const sqlite = (location: string, config: DatabaseConfig, notifications: LocalNotifications): Backend =>
  new SqliteBackend({
    location,
    waitMs: config.connectionTimeoutSecs * 1000,
    idleInTransactionMs: config.idleInTransactionSecs * 1000,
    longReadMs: config.longReadMs,
    statementTimeoutMs: config.statementTimeoutMs,
    synchronous: config.synchronous,
    notifications,
  });

const postgres = (config: DatabaseConfig, onIdleError: (error: Error) => void): Backend =>
  new PostgresBackend({ ...config, minIdle: Math.min(config.minIdle, config.poolSize), onIdleError });

/** Opens a database without an app, for scripts, tests and tools. Close it after use. @throws ConfigurationError for an invalid configuration */
export const openDatabase = (config: ConfigInput<DatabaseConfig> = {}): Database => {
  const { backend } = openBackend(DatabaseConfig.of(config), () => {}); // the next statement reports the error
  const operations = operationsWithoutApp(statementOperation(backend.dialect));
  return new OpenDatabase(new WatchedBackend(backend, { slowQueryMs: 0, log: () => null, operations }));
};
