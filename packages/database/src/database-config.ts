import {
  checked,
  type ConfigRecord,
  configRecord,
  decimal,
  flag,
  integer,
  oneOf,
  optional,
  secret,
  text,
} from "@framework/core/feature";
import { isSqliteUrl } from "./sqlite/sqlite-location.ts";

/** URL and connection settings of a database. */
export interface DatabaseConfig {
  /**
   * `sqlite://<path>` (`sqlite:///var/data/app.db` is absolute, `sqlite://:memory:` is in memory) or
   * `postgres://user:password@host:port/database`, whose query may contain `sslmode=verify-full`. @default "sqlite://framework.db"
   */
  readonly url: string;
  /**
   * Maximum number of connections to PostgreSQL per worker; 1 to 1 000. In addition: one for notifications, one for urgent statements
   * (`until(signal, { isUrgent: true })`), and up to 20 briefly, to cancel statements. @default 10
   */
  readonly poolSize: number;
  /** Maximum lifetime of a connection to PostgreSQL, in seconds, ±10 % (drawn once per pool); it is replaced when it is next idle. @default 1800 */
  readonly maxLifetimeSecs: number;
  /** Number of connections to PostgreSQL that stay open when idle, up to `poolSize`; they are not opened in advance. @default 1 */
  readonly minIdle: number;
  /** Maximum wait for a connection, or for SQLite's write lock, in seconds; then 503. @default 5 */
  readonly connectionTimeoutSecs: number;
  /** Idle timeout of a connection to PostgreSQL, in seconds. @default 300 */
  readonly idleTimeoutSecs: number;
  /** `application_name` of the connections to PostgreSQL, as shown in `pg_stat_activity`. */
  readonly applicationName: string | undefined;
  /** Timeout of a statement in milliseconds: PostgreSQL cancels it, and a long read of SQLite rejects; 0 disables it. @default 0 */
  readonly statementTimeoutMs: number;
  /** Idle timeout of a transaction, in seconds; then it is rolled back. @default 60 */
  readonly idleInTransactionSecs: number;
  /**
   * Maximum time until the complete result of a statement on PostgreSQL has arrived, in seconds; then its connection is closed. 0 disables it.
   * @default 60
   */
  readonly answerTimeoutSecs: number;
  /** Duration in milliseconds from which a statement is logged as slow, without its parameters; 0 disables it. @default 1000 */
  readonly slowQueryMs: number;
  /**
   * Duration in milliseconds from which a read runs in a separate process the next time; of the first run of a text, the CPU time counts. SQLite files
   * only; 0 disables it.
   * @default 20
   */
  readonly longReadMs: number;
  /**
   * When a commit on SQLite is complete: `"full"` once it is on the disk, `"normal"` once the operating system has it, so that a power failure may lose
   * it. SQLite files only. @default "full"
   */
  readonly synchronous: "full" | "normal";
  /** Folder of numbered migrations. */
  readonly migrations: string | undefined;
  /** Whether to run pending migrations before the app serves. @default false */
  readonly migrateAtStart: boolean;
  /** Time limit of the migrations at start in seconds, including the wait for another process that migrates. @default 3600 */
  readonly migrationTimeoutSecs: number;
}

/** Parts of the URL of a PostgreSQL database, and the size of its pool. */
export interface PostgresAddress {
  /** Host name or address. */
  readonly host: string;
  /** Port. @default 5432 */
  readonly port?: number;
  /** Name of the database. */
  readonly database: string;
  /** Name of the user. */
  readonly user: string;
  /** Password. @default none */
  readonly password?: string;
  /** Maximum number of connections. @default 10 */
  readonly poolSize?: number;
}

/** Scheme, authority and path of a URL of PostgreSQL. */
const POSTGRES_URL = /^postgres(?:ql)?:\/\/[^/?#]*(?<path>[^?#]*)[^#]*$/;
/** Parts of a path that `pg` reads as the name of another database: escapes that it does not decode, and segments that URLs omit. */
const MISREAD = /%(?:2[346BCF]|3[ABDF]|40)|\/(?:\.|%2E){1,2}(?:\/|$)/i;

const isUrl = (value: unknown): boolean =>
  typeof value === "string" && (isSqliteUrl(value) || isPostgresUrl(value));

const isPostgresUrl = (value: string): boolean => {
  const path = POSTGRES_URL.exec(value)?.groups?.["path"];
  return path !== undefined && !MISREAD.test(path) && URL.canParse(value);
};

const record = configRecord<DatabaseConfig>("DatabaseConfig", {
  url: secret(
    checked(
      "sqlite://framework.db",
      "sqlite://<path> (`%` as `%25`) or postgres://user:password@host/database; the name of the database cannot contain ?, # or a segment . or .., and $&+,/:;=@ in it must not be encoded",
      isUrl,
    ),
  ),
  poolSize: integer(10, { min: 1, max: 1000 }),
  maxLifetimeSecs: decimal(1800, { min: 1, max: 604_800 }),
  minIdle: integer(1, { min: 0, max: 1000 }),
  connectionTimeoutSecs: decimal(5, { min: 0.01, max: 600 }),
  idleTimeoutSecs: decimal(300, { min: 0.1, max: 604_800 }),
  applicationName: optional(text("")),
  statementTimeoutMs: integer(0, { min: 0, max: 604_800_000 }),
  idleInTransactionSecs: decimal(60, { min: 0.05, max: 604_800 }),
  answerTimeoutSecs: decimal(60, { min: 0, max: 604_800 }),
  slowQueryMs: integer(1000, { min: 0 }),
  longReadMs: integer(20, { min: 0 }),
  synchronous: oneOf("full", ["full", "normal"]),
  migrations: optional(text("")),
  migrateAtStart: flag(false),
  migrationTimeoutSecs: decimal(3600, { min: 0.01, max: 604_800 }),
});

/** Escapes that `pg` does not decode in the path, of characters that need no escape there. */
const UNDECODED = /%(?:2[46BCF]|3[ABD]|40)/g;

const pathOf = (database: string): string =>
  encodeURIComponent(database).replaceAll(UNDECODED, decodeURIComponent);

/** The configuration record; `postgres` creates `url` from its parts. */
export const DatabaseConfig: ConfigRecord<DatabaseConfig> & {
  /** Returns the fields of `DatabaseConfig` for a PostgreSQL database. A name that contains `?`, `#`, or a segment `.` or `..` gives an invalid `url`. */
  postgres(address: PostgresAddress): { readonly url: string; readonly poolSize: number };
} = {
  ...record,
  postgres: ({ host, port = 5432, database, user, password, poolSize = 10 }) => {
    const secret = password === undefined ? "" : `:${encodeURIComponent(password)}`;
    const urlHost = host.includes(":") ? `[${host}]` : host;
    return {
      url: `postgres://${encodeURIComponent(user)}${secret}@${urlHost}:${port}/${pathOf(database)}`,
      poolSize,
    };
  },
};
