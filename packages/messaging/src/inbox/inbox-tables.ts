import type { SetMigration } from "@framework/database";

/** Name of the set of tables. */
export const INBOX_TABLES = "messaging-inbox";

const COLUMNS = `
  consumer TEXT NOT NULL,
  message TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  ended INTEGER NOT NULL,
  seen_at BIGINT NOT NULL,
  done_at BIGINT,
  PRIMARY KEY (consumer, message)`;
const INDEX = "CREATE INDEX framework_inbox_seen ON framework_inbox (seen_at);";

/** Messages by consumer: attempts begun, attempts that failed without killing their process (`ended`), and when the message was done. */
export const inboxTables: readonly SetMigration[] = [
  {
    number: 1,
    name: "create-inbox",
    sqlite: `CREATE TABLE framework_inbox (${COLUMNS}) WITHOUT ROWID;${INDEX}`,
    postgres: `CREATE TABLE framework_inbox (${COLUMNS});${INDEX}`,
  },
];
