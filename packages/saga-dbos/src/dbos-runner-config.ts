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
  /** Address of the PostgreSQL database in which DBOS keeps its tables: `postgres://…`. */
  readonly url: string | undefined;
  /** Schema of DBOS's tables: a name of small letters, digits and `_`. Apps that share a database need one each. @default "dbos" */
  readonly schema: string;
  /** Name of the app in DBOS; it does not keep apps apart. @default "app" */
  readonly name: string;
  /** Connections of DBOS in one process, 2 to 1,000. @default 10 */
  readonly poolSize: number;
  /** Unfinished instances of one version that one process holds in memory at a time, with those that wait; more stay queued. 1 to 100,000. @default 1000 */
  readonly maxOpen: number;
  /** How often a process looks for sagas of processes that are gone, and for new sagas, in milliseconds, 50 to 60,000. @default 1000 */
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
        "must be the address of a PostgreSQL database, such as postgres://user:password@host/database",
      ),
    ),
  ),
  schema: matching("dbos", /^[a-z_][a-z0-9_]{0,62}$/, "must be a name of small letters, digits and _"),
  name: matching("app", /^[a-z0-9][a-z0-9_-]{0,62}$/, "must be a name of small letters, digits, _ and -"),
  poolSize: integer(10, { min: 2, max: 1000 }),
  maxOpen: integer(1000, { min: 1, max: 100_000 }),
  pollMs: integer(1000, { min: 50, max: 60_000 }),
});
