import { randomUUID } from "node:crypto";
import type { ConfigInput, Feature, Host, HostInsight } from "@framework/core/feature";
import { dependency, FrameworkError, type Logger, type Problem, type Token } from "@framework/core";
import { DatabaseConfig } from "./database-config.ts";
import type { LocalNotifications } from "./local-notifications.ts";
import { migrate } from "./migrations/migrate.ts";
import { OpenDatabase } from "./open-database.ts";
import { openBackend } from "./open.ts";
import type { Database } from "./queries.ts";
import { sqliteLocation } from "./sqlite/sqlite-location.ts";
import { statementOperation } from "./statement-operation.ts";
import { WatchedBackend } from "./watch.ts";

/** The methods that the feature adds to an app. */
export interface DatabaseMethods {
  /**
   * Adds a database as `app.db`, `request.app.db`, and the dependency `Db`. It connects on first use.
   *
   * @throws CORE_BAD_CONFIG at start, together with all other configuration errors
   */
  enableDatabase(config?: ConfigInput<DatabaseConfig>): this;
  /** The database. @throws DATABASE_NOT_ENABLED before `enableDatabase` */
  readonly db: Database;
}

/** The database as a dependency: `app.get("/", { inject: { db: Db } }, (request, { db }) => db.query(…))`. */
export const Db: Token<Database> = dependency<Database>("db");

/**
 * A database for an app: SQLite in a file by default, or PostgreSQL.
 *
 * @example
 * const app = new (App.with(database))().enableDatabase({ url: "sqlite://books.db" });
 * app.get("/books/{id}", ({ app, params }) => app.db.fetchOne`SELECT * FROM books WHERE id = ${Number(params.id)}`);
 */
export const database: Feature<DatabaseMethods> = {
  name: "database",
  install: (host) => {
    let open: OpenDatabase | null = null;
    return {
      enableDatabase(config) {
        open = enable(host, host.configure(DatabaseConfig, config));
        return this;
      },
      get db() {
        if (open !== null) return open;
        throw new FrameworkError("DATABASE_NOT_ENABLED", "call enableDatabase() before using db");
      },
    };
  },
};

const enable = (host: Host, config: DatabaseConfig): OpenDatabase => {
  let log: Logger | null = null;
  let unsubscribe = (): void => {};
  if (config.migrateAtStart && config.migrations === undefined) host.problem(noMigrations);
  const { backend, notifications } = openBackend(config, (error) =>
    log?.warn("a database connection broke", { error }),
  );
  const operations = host.insight.operation(statementOperation(backend.dialect));
  const seconds = host.insight.histogram({
    name: "database_statement_duration_seconds",
    help: "Duration of statements, without waiting for a connection; streams are excluded, because their duration depends on their readers.",
  });
  const waits = host.insight.histogram({
    name: "database_wait_duration_seconds",
    help: "Time that statements and transactions waited for a connection or lock.",
  });
  const { slowQueryMs } = config;
  const watched = new WatchedBackend(backend, { slowQueryMs, log: () => log, operations, seconds, waits });
  const open = new OpenDatabase(watched, {
    onCallbackError: (failure, error) => log?.error(failure, { error }),
    onTimeout: (error) => watched.reasons.recordError(error),
  });
  host.state.provide(Db, { create: () => open });
  host.life.onStart({
    name: "database",
    ...(config.migrateAtStart ? { timeoutSecs: config.migrationTimeoutSecs + START_RESERVE_SECS } : {}),
    run: async (settings, signal) => {
      log = settings.log;
      if (settings.workers > 1 && sqliteLocation(config.url) === ":memory:")
        throw inMemoryWithWorkers(settings.workers);
      if (backend.dialect === "sqlite") unsubscribe = shareNotifications(host, notifications, config.url);
      if (config.migrateAtStart) await migrateAtStart(open, config, signal);
    },
  });
  host.advise(({ severalHosts }) => (severalHosts && backend.dialect === "sqlite" ? [sqliteOnHosts] : []));
  host.life.onStop({
    name: "database",
    run: async () => {
      unsubscribe();
      await watched.close(GRACE_MS); // requests have ended, or were aborted at the deadline
    },
  });
  addInsight(host, watched);
  return open;
};

const inMemoryWithWorkers = (workers: number): FrameworkError =>
  new FrameworkError(
    "DATABASE_IN_MEMORY",
    `each of ${workers} workers would have its own database in memory; use sqlite://<path>, or run one worker`,
  );

const sqliteOnHosts: Problem = {
  code: "DATABASE_SQLITE_ON_HOSTS",
  message: "each host would have its own SQLite file with other data; use PostgreSQL, or run one host",
};

const noMigrations: Problem = {
  code: "DATABASE_NO_MIGRATIONS",
  message: "migrateAtStart needs `migrations`, the folder of the migrations",
};

/** Time for statements to end after the drain. */
const GRACE_MS = 200;

/** Added to the time limit of the migrations for the rest of the start task. */
const START_RESERVE_SECS = 60;

const migrateAtStart = async (
  open: Database,
  { migrations: directory, migrationTimeoutSecs: timeoutSecs }: DatabaseConfig,
  signal: AbortSignal,
): Promise<void> => {
  if (directory !== undefined) await migrate(open, { directory, timeoutSecs, signal });
};

/** Shares notifications among the workers of a service, because SQLite cannot notify other processes. */
const shareNotifications = (host: Host, notifications: LocalNotifications, url: string): (() => void) => {
  const channel = `database:${url}`.slice(0, 500);
  const { values } = host.state.shared;
  /** Ids of notifications that are being sent and that this worker has not received. */
  const unreceived = new Set<string>();
  notifications.connect((name, payload) => {
    const id = randomUUID();
    unreceived.add(id);
    const deliverHere = (): void => {
      if (unreceived.delete(id)) notifications.receive(name, payload);
    };
    values.publish(channel, [name, payload, id]).then(deliverHere, deliverHere); // this worker may have missed it, or it was not sent
  });
  return values.subscribe(channel, (message) => {
    const [name, payload, id] = message as [string, string, string]; // only workers of this service publish here
    unreceived.delete(id);
    notifications.receive(name, payload);
  });
};

const addInsight = (host: Host, watched: WatchedBackend): void => {
  host.insight.healthCheck({
    name: "database",
    run: async (signal) => {
      await new OpenDatabase(watched).until(signal).fetchValue("SELECT 1");
      return { dialect: watched.dialect, ...watched.metrics() };
    },
  });
  const count = (name: string, help: string, read: () => number): HostInsight =>
    host.insight.metric({ name: `database_${name}_total`, help, type: "counter", read });
  count("statements", "Statements sent to the database.", () => watched.statements);
  count("failures", "Statements that failed.", () => watched.failures);
  count("slow_statements", "Statements that took longer than slowQueryMs.", () => watched.slowStatements);
  const gauge = (name: string, help: string, read: () => number): HostInsight =>
    host.insight.metric({ name: `database_connections_${name}`, help, type: "gauge", read });
  gauge("open", "Open connections.", () => watched.metrics().size);
  gauge("idle", "Idle connections.", () => watched.metrics().idle);
  gauge("waiting", "Callers waiting for a connection.", () => watched.metrics().waiting);
  host.insight.expose("database", () => ({ dialect: watched.dialect, ...watched.metrics() }));
};
