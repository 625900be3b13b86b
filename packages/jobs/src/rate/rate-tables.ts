import type { SetMigration } from "@framework/database";

/** Name of the set of tables. */
export const RATE_TABLES = "jobs-rates";

/** The current period of each job with a rate: its start, the attempts used, and the attempts granted to the last request. */
export const rateTables: readonly SetMigration[] = [
  {
    number: 1,
    name: "create-job-rates",
    up: "CREATE TABLE framework_job_rates (job TEXT PRIMARY KEY, began_at BIGINT NOT NULL, used BIGINT NOT NULL, granted BIGINT NOT NULL)",
  },
];
