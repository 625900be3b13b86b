import {
  checked,
  type ConfigRecord,
  configRecord,
  decimal,
  flag,
  integer,
  optional,
  text,
} from "@framework/core/feature";

/** Where the database is and how connections to it are kept. */
export interface DatabaseConfig {
  /**
   * `sqlite://<path>` (`sqlite:///var/data/app.db` is absolute, `sqlite://:memory:` lives with the process) or
   * `postgres://user:password@host:port/database`, whose query may hold `sslmode=verify-full`. @default "sqlite://framework.db"
   */
  readonly url: string;
  /** Connections to PostgreSQL at most, per worker; 1 to 1 000. @default 10 */
  readonly poolSize: number;
  /** A connection older than this is replaced when it is next free, in seconds, give or take a tenth. @default 1800 */
  readonly maxLifetimeSecs: number;
  /** Connections to PostgreSQL kept though idle, up to `poolSize`. @default 1 */
  readonly minIdle: number;
  /** Longest wait for a free connection, for a new one, or for the turn to write to SQLite, in seconds; then 503. @default 5 */
  readonly connectionTimeoutSecs: number;
  /** A connection that nobody used for so long is closed, in seconds. @default 300 */
  readonly idleTimeoutSecs: number;
  /** Name of the service in the server's list of sessions. */
  readonly applicationName: string | undefined;
  /** PostgreSQL ends a statement after so many milliseconds, and who reads on the thread of SQLite is told then; 0 is never. @default 0 */
  readonly statementTimeoutMs: number;
  /** A transaction without a statement for so long is rolled back, in seconds. @default 60 */
  readonly idleInTransactionSecs: number;
  /** A PostgreSQL server that does not answer for so long is taken for dead and the connection is closed, in seconds; 0 is never. @default 60 */
  readonly answerTimeoutSecs: number;
  /** A statement that takes longer is logged as slow, in milliseconds, without its parameters; 0 is never. @default 1000 */
  readonly slowQueryMs: number;
  /** A read that held the process for so long is done by a thread when it comes again, in milliseconds; SQLite in a file only; 0 is never. @default 20 */
  readonly threadAfterMs: number;
  /** Folder of numbered migrations. */
  readonly migrations: string | undefined;
  /** Runs the pending migrations before the app serves. @default false */
  readonly migrateAtStart: boolean;
}

/** How to reach a PostgreSQL server in parts. */
export interface PostgresAddress {
  readonly host: string;
  /** @default 5432 */
  readonly port?: number;
  readonly database: string;
  readonly user: string;
  readonly password?: string;
  /** @default 10 */
  readonly poolSize?: number;
}

const isUrl = (value: unknown): boolean =>
  typeof value === "string" &&
  (value.startsWith("sqlite://") || (/^postgres(ql)?:\/\//.test(value) && URL.canParse(value)));

const record = configRecord<DatabaseConfig>("DatabaseConfig", {
  url: checked("sqlite://framework.db", "sqlite://<path> or postgres://user:password@host/database", isUrl),
  poolSize: integer(10, { min: 1, max: 1000 }),
  maxLifetimeSecs: decimal(1800, { min: 1 }),
  minIdle: integer(1, { min: 0, max: 1000 }),
  connectionTimeoutSecs: decimal(5, { min: 0.01, max: 600 }),
  idleTimeoutSecs: decimal(300, { min: 0.1 }),
  applicationName: optional(text("")),
  statementTimeoutMs: integer(0, { min: 0 }),
  idleInTransactionSecs: decimal(60, { min: 0.05 }),
  answerTimeoutSecs: decimal(60, { min: 0 }),
  slowQueryMs: integer(1000, { min: 0 }),
  threadAfterMs: integer(20, { min: 0 }),
  migrations: optional(text("")),
  migrateAtStart: flag(false),
});

/** Reads the configuration of a database; `postgres` makes it from the parts of an address. */
export const DatabaseConfig: ConfigRecord<DatabaseConfig> & {
  postgres(address: PostgresAddress): { readonly url: string; readonly poolSize: number };
} = {
  ...record,
  postgres: ({ host, port = 5432, database, user, password, poolSize = 10 }) => {
    const secret = password === undefined ? "" : `:${encodeURIComponent(password)}`;
    const place = host.includes(":") ? `[${host}]` : host;
    return {
      url: `postgres://${encodeURIComponent(user)}${secret}@${place}:${port}/${encodeURIComponent(database)}`,
      poolSize,
    };
  },
};
