import {
  type ConfigRecord,
  configRecord,
  type FieldRule,
  integer,
  optional,
  secret,
} from "@framework/core/feature";

/** Options of `dbosRunner`. */
export interface DbosRunnerConfig {
  /** URL of the PostgreSQL database for the tables of DBOS: `postgres://…`. */
  readonly url: string | undefined;
  /** Schema of DBOS's tables: lower-case letters, digits and `_`. Apps that share a database need different schemas. @default "dbos" */
  readonly schema: string;
  /** Name of the app in DBOS; it does not isolate apps. @default "app" */
  readonly name: string;
  /** Maximum number of connections of DBOS in one process, 2 to 1,000. @default 10 */
  readonly poolSize: number;
  /** Maximum number of unfinished instances of one version in the memory of one process, including waiting ones; more stay queued. 1 to 100,000. @default 1000 */
  readonly maxOpen: number;
  /** Interval in milliseconds at which a process polls for new sagas, 50 to 60,000; it adopts sagas of lost processes every five intervals. @default 1000 */
  readonly pollMs: number;
}

const matching = (initial: string, pattern: RegExp, problem: string): FieldRule<string> => ({
  default: initial,
  problem: (value) => (typeof value === "string" && pattern.test(value) ? null : problem),
});

export const DbosRunnerConfig: ConfigRecord<DbosRunnerConfig> = configRecord("DbosRunnerConfig", {
  url: optional<string>(
    secret(
      matching(
        "",
        /^postgres(?:ql)?:\/\//,
        "must be the URL of a PostgreSQL database, such as postgres://user:password@host/database",
      ),
    ),
  ),
  schema: matching("dbos", /^[a-z_][a-z0-9_]{0,62}$/, "must be a name of lower-case letters, digits and _"),
  name: matching(
    "app",
    /^[a-z0-9][a-z0-9_-]{0,62}$/,
    "must be a name of lower-case letters, digits, _ and -",
  ),
  poolSize: integer(10, { min: 2, max: 1000 }),
  maxOpen: integer(1000, { min: 1, max: 100_000 }),
  pollMs: integer(1000, { min: 50, max: 60_000 }),
});
