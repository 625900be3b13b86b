import type { SetMigration } from "@framework/database";

/** Name of the set of tables of owners, leases and lanes. */
export const LEASE_TABLES = "durable-leases";

/**
 * Times are milliseconds of the database's clock. A lane is a lease whose `kind` is in `framework_lanes`; claims lock that row. Members are the owners
 * that run lanes of a kind.
 */
export const leaseTables: readonly SetMigration[] = [
  {
    number: 1,
    name: "create-owners-and-leases",
    up: `
      CREATE TABLE framework_owners (
        id TEXT PRIMARY KEY,
        place TEXT,
        pid INTEGER NOT NULL,
        started TEXT,
        seen_at BIGINT NOT NULL
      );
      CREATE TABLE framework_leases (
        kind TEXT NOT NULL,
        name TEXT NOT NULL,
        owner TEXT,
        lease_until BIGINT NOT NULL,
        fence BIGINT NOT NULL,
        PRIMARY KEY (kind, name)
      );
      CREATE TABLE framework_lanes (
        kind TEXT PRIMARY KEY,
        lanes INTEGER NOT NULL
      );
      CREATE TABLE framework_lane_members (
        kind TEXT NOT NULL,
        owner TEXT NOT NULL,
        lanes INTEGER NOT NULL,
        joined_at BIGINT NOT NULL,
        lease_until BIGINT NOT NULL,
        PRIMARY KEY (kind, owner)
      );
    `,
  },
];
