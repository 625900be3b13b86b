import type { SetMigration } from "@framework/database";

/** Name of the set of tables. */
export const TOPIC_TABLES = "messaging-topics";

/** Groups by topic: each receives a copy of every message. `ordering` decides the key of the copies. */
export const topicTables: readonly SetMigration[] = [
  {
    number: 1,
    name: "create-groups",
    sqlite: `CREATE TABLE framework_message_groups (
  topic TEXT NOT NULL, name TEXT NOT NULL, ordering TEXT NOT NULL, PRIMARY KEY (topic, name)) WITHOUT ROWID;`,
    postgres: `CREATE TABLE framework_message_groups (
  topic TEXT NOT NULL, name TEXT NOT NULL, ordering TEXT NOT NULL, PRIMARY KEY (topic, name));`,
  },
  {
    number: 2,
    name: "add-last-registration", // set for private groups only; NULL for all others
    sqlite: "ALTER TABLE framework_message_groups ADD COLUMN seen_at BIGINT;",
    postgres: "ALTER TABLE framework_message_groups ADD COLUMN seen_at BIGINT;",
  },
];
