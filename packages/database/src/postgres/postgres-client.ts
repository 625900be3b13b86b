import type { PoolClient, QueryResult } from "pg";
import type { Outcome } from "../backend.ts";
import { transactionOver } from "../database-errors.ts";
import { orAborted } from "../deadlines.ts";
import type { Statement } from "../statement.ts";
import type { Connections } from "./connections.ts";
import { leavesState } from "./lasting-state.ts";
import { isBroken, isOutdated, isReadOnly, isSilence, postgresError } from "./postgres-errors.ts";
import type { QueryOutcome } from "./prepared-query.ts";
import { sendStatement } from "./send-statement.ts";
import type { KnownText, StatementNames } from "./statement-names.ts";

export interface PostgresClientParts {
  readonly connections: Connections;
  readonly names: StatementNames;
  /** Time without a reply after which the server is considered dead. @default that of the connection */
  readonly answerMs: number | undefined;
  /** Whether the transaction is read-only. If not, a refused write means that the server is a standby. */
  readonly readOnly: boolean;
}

/** A connection leased from the pool; it is destroyed on release if its state is unknown. */
export class PostgresClient {
  private readonly client: PoolClient;
  private readonly connections: Connections;
  private readonly names: StatementNames;
  private readonly answer: { readonly query_timeout?: number };
  private readonly readOnly: boolean;
  private isUnusable = false;
  private released = false;
  private readonly onError = (): void => {
    this.isUnusable = true; // the current statement rejects separately
  };

  constructor(client: PoolClient, { connections, names, answerMs, readOnly }: PostgresClientParts) {
    this.client = client;
    this.connections = connections;
    this.names = names;
    this.readOnly = readOnly;
    this.answer = answerMs === undefined ? {} : { query_timeout: answerMs };
    client.on("error", this.onError);
  }

  get unusable(): boolean {
    return this.isUnusable;
  }

  async run(statement: Statement, signal?: AbortSignal): Promise<Outcome> {
    if (this.released) throw transactionOver();
    const { text } = statement;
    const known = this.names.of(text);
    if (known.lasting) this.isUnusable = true;
    const { rows, rowCount } = await this.answered(this.sent(statement, known), text, signal);
    return { rows: rows ?? [], changes: rowCount ?? 0 };
  }

  private sent(statement: Statement, known: KnownText): Promise<QueryOutcome> {
    const options = { types: this.connections.types, answer: this.answer };
    return new Promise((resolve, reject) => {
      sendStatement(this.client, statement, known, options, (error, outcome) => {
        if (error === null || error === undefined) resolve(outcome);
        else reject(error);
      });
    });
  }

  /** @param limitMs maximum time without a reply, instead of the usual one */
  async rollback(limitMs: number): Promise<void> {
    const text = "ROLLBACK";
    const query = { text, query_timeout: limitMs };
    await this.answered(this.client.query(query), text);
  }

  async script(text: string, signal?: AbortSignal): Promise<void> {
    if (leavesState(text)) this.isUnusable = true;
    await this.command(text, signal);
  }

  /** Runs a text without preparing or checking it. */
  async command(text: string, signal?: AbortSignal): Promise<QueryResult> {
    if (this.released) throw transactionOver();
    signal?.throwIfAborted();
    return await this.answered(this.client.query({ text, ...this.answer }), text, signal);
  }

  private async answered<T>(answer: Promise<T>, text: string, signal?: AbortSignal): Promise<T> {
    const sentAt = performance.now();
    try {
      const value = await orAborted(answer, signal);
      this.connections.answered(this.client);
      return value;
    } catch (error) {
      if (isBroken(error, this.readOnly) || isOutdated(error)) this.isUnusable = true;
      const isAborted = signal?.aborted === true && error === signal.reason;
      if (isAborted || isSilence(error)) this.abandon(answer, sentAt);
      else this.connections.answered(this.client);
      if (!this.readOnly && isReadOnly(error)) this.connections.renew();
      throw isAborted ? error : postgresError(error, text, this.readOnly);
    }
  }

  /** A reply to an abandoned statement must not reach the next user of the connection. */
  private abandon(answer: Promise<unknown>, sentAt: number): void {
    this.isUnusable = true;
    answer.catch(() => {});
    this.connections.silent(this.client, sentAt);
  }

  release(): void {
    if (this.released) return;
    this.released = true;
    this.client.off("error", this.onError);
    if (this.isUnusable) this.client.on("error", () => {}); // its end event may still follow
    this.client.release(this.isUnusable);
  }
}
