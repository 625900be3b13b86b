import type { SetMigration } from "@framework/database";

/** Name of the table set. */
export const KEY_TABLES = "cqrs-keys";

const columns = (bytes: string): string => `
  CREATE TABLE framework_idempotency_keys (
    id TEXT PRIMARY KEY,
    operation TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    state TEXT NOT NULL,
    status INTEGER,
    headers TEXT,
    body ${bytes},
    owner TEXT,
    fence BIGINT NOT NULL DEFAULT 0,
    lease_until BIGINT,
    expires_at BIGINT NOT NULL
  );
  CREATE INDEX framework_idempotency_keys_expiry ON framework_idempotency_keys (expires_at);
  CREATE INDEX framework_idempotency_keys_owner ON framework_idempotency_keys (owner) WHERE owner IS NOT NULL;
`;

/**
 * One row for each idempotency key; `id` is a hash of tenant, caller, operation and key. States: `done`, with the result; `not-kept`, if the result was too
 * large or a stream; `running`, while the handler of a route runs and `owner` holds a lease. Times are milliseconds of the database's clock.
 */
export const keyTables: readonly SetMigration[] = [
  { number: 1, name: "create-idempotency-keys", sqlite: columns("BLOB"), postgres: columns("BYTEA") },
];
