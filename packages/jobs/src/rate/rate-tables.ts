import type { SetMigration } from "@framework/database";

/** Name of the set of tables. */
export const RATE_TABLES = "jobs-rates";

/** The present period of each limited job: when it began, how many attempts it had, and how many the last request got. */
export const rateTables: readonly SetMigration[] = [
  {
    number: 1,
    name: "create-job-rates",
    up: "CREATE TABLE framework_job_rates (job TEXT PRIMARY KEY, began_at BIGINT NOT NULL, used BIGINT NOT NULL, granted BIGINT NOT NULL)",
  },
];
