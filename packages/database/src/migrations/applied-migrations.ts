import type { Transaction } from "../queries.ts";
import type { Migration } from "./migration.ts";

/** The record of a migration that has run. */
export interface AppliedMigration {
  readonly number: number;
  readonly name: string;
  readonly checksum: string;
  readonly readableFrom: number;
}

/** One table for all sets; the key includes the set, so that two packages may have the same number. */
const TABLE = `CREATE TABLE framework_migrations (
  set_name TEXT NOT NULL, number INTEGER NOT NULL, name TEXT NOT NULL, checksum TEXT NOT NULL,
  readable_from INTEGER NOT NULL, applied_at TEXT NOT NULL, PRIMARY KEY (set_name, number))`;

const tableCount = {
  sqlite: "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'framework_migrations'",
  postgres: "SELECT count(to_regclass('framework_migrations'))",
} as const;

/** The records of migrations that have run. The table is created with the first record, so that reading requires no right to create one. */
export class AppliedMigrations {
  private readonly tx: Transaction;
  private readonly set: string;
  private hasTable: boolean;

  private constructor(tx: Transaction, set: string, hasTable: boolean) {
    this.tx = tx;
    this.set = set;
    this.hasTable = hasTable;
  }

  static async of(tx: Transaction, dialect: "sqlite" | "postgres", set: string): Promise<AppliedMigrations> {
    return new AppliedMigrations(tx, set, (await tx.fetchValue<number>(tableCount[dialect])) === 1);
  }

  /** By ascending number. */
  async all(): Promise<readonly AppliedMigration[]> {
    if (!this.hasTable) return [];
    return await this.tx.query<AppliedMigration>`
      SELECT number, name, checksum, readable_from AS "readableFrom"
      FROM framework_migrations WHERE set_name = ${this.set} ORDER BY number`;
  }

  async add({ number, name, checksum, readableFrom }: Migration): Promise<void> {
    if (!this.hasTable) await this.tx.execute(TABLE);
    this.hasTable = true;
    await this.tx.execute`
      INSERT INTO framework_migrations (set_name, number, name, checksum, readable_from, applied_at)
      VALUES (${this.set}, ${number}, ${name}, ${checksum}, ${readableFrom}, ${new Date().toISOString()})`;
  }

  async remove(number: number): Promise<void> {
    await this.tx
      .execute`DELETE FROM framework_migrations WHERE set_name = ${this.set} AND number = ${number}`;
  }
}
