import type { Database, Row, SqlScalar, SqlValue, Transaction } from "@framework/database";
import {
  type ListRow,
  postgresStatement,
  sqliteStatement,
  type Statement,
  type StatementShape,
} from "./statement.ts";

/** Options of `WorkTable`. */
export interface WorkTableOptions {
  readonly db: Database;
  /** SQL expression of the current time. */
  readonly now: string;
  /** Runs a transaction; on SQLite several share one commit. */
  readonly transaction: <T>(run: (tx: Transaction) => Promise<T>) => Promise<T>;
  /** Converts the error of a failed statement to the error that callers get. @default unchanged */
  readonly toError?: (error: unknown) => unknown;
}

/** Runs statements: the work table, or a transaction of the caller. */
export interface WorkSession {
  query<T extends object = Row>(text: string, values: readonly SqlValue[]): Promise<T[]>;
}

/** Parameters of one run of a statement. */
export interface RunOptions {
  readonly parameters?: Readonly<Record<string, SqlScalar>>;
  readonly list?: readonly ListRow[];
  /** @default a separate statement */
  readonly session?: WorkSession | undefined;
}

/** Access to the work table. A separate statement is one round trip to PostgreSQL, and part of a shared commit on SQLite. */
export class WorkTable implements WorkSession {
  readonly db: Database;
  readonly now: string;
  readonly transaction: WorkTableOptions["transaction"];
  private readonly toError: (error: unknown) => unknown;
  private readonly statements = new Map<StatementShape, Statement>();

  constructor({ db, now, transaction, toError = (error) => error }: WorkTableOptions) {
    this.db = db;
    this.now = now;
    this.transaction = transaction;
    this.toError = toError;
  }

  /** Runs a statement that writes. */
  async run<T extends object>(
    shape: StatementShape,
    { parameters = {}, list = [], session = this }: RunOptions,
  ): Promise<T[]> {
    const { text, values } = this.statement(shape);
    try {
      return await session.query<T>(text, values(parameters, list));
    } catch (error) {
      throw this.toError(error);
    }
  }

  /** Runs a statement that only reads. */
  async read<T extends object>(
    shape: StatementShape,
    { parameters = {}, list = [] }: Omit<RunOptions, "session">,
  ): Promise<T[]> {
    return await this.run<T>(shape, { parameters, list, session: this.db });
  }

  /** Runs SQL text that writes. */
  async query<T extends object = Row>(text: string, values: readonly SqlValue[]): Promise<T[]> {
    try {
      if (this.db.dialect === "postgres") return await this.db.query<T>(text, values);
      return await this.transaction((tx) => tx.query<T>(text, values));
    } catch (error) {
      throw this.toError(error);
    }
  }

  /** Runs SQL text that only reads. */
  async select<T extends object = Row>(text: string, values: readonly SqlValue[]): Promise<T[]> {
    try {
      return await this.db.query<T>(text, values);
    } catch (error) {
      throw this.toError(error);
    }
  }

  private statement(shape: StatementShape): Statement {
    const known = this.statements.get(shape);
    if (known !== undefined) return known;
    const make = this.db.dialect === "postgres" ? postgresStatement : sqliteStatement;
    const made = make(shape, this.now);
    this.statements.set(shape, made);
    return made;
  }
}
