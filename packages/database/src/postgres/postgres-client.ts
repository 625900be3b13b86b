import type { PoolClient, QueryResult } from "pg";
import type { Outcome } from "../backend.ts";
import { transactionEnded } from "../database-errors.ts";
import { orAborted } from "../deadlines.ts";
import type { Statement } from "../statement.ts";
import type { Connections } from "./connections.ts";
import { leavesState } from "./lasting-state.ts";
import { isBroken, isOutdated, isReadOnly, isReplyTimeout, postgresError } from "./postgres-errors.ts";
import type { QueryOutcome } from "./prepared-query.ts";
import { sendStatement } from "./send-statement.ts";
import type { StatementProperties, StatementNames } from "./statement-names.ts";

export interface PostgresClientParts {
  readonly connections: Connections;
  readonly names: StatementNames;
  /** Maximum time until the complete result of a statement has arrived, after which the connection is destroyed. @default the connection's */
  readonly replyTimeoutMs: number | undefined;
  /** Whether the transaction is read-only. If not, a refused write means that the server is a standby. */
  readonly readOnly: boolean;
}

/** Minimum time without a reply after which an aborted statement counts as one that the server did not answer. A client may disconnect at any time. */
const MIN_SILENCE_MS = 1000;

/** A connection leased from the pool; it is destroyed on release if its state is unknown. */
export class PostgresClient {
  private readonly client: PoolClient;
  private readonly connections: Connections;
  private readonly names: StatementNames;
  private readonly timeout: { readonly query_timeout?: number };
  private readonly readOnly: boolean;
  private isUnusable = false;
  private released = false;
  private readonly onError = (): void => {
    this.isUnusable = true; // the current statement rejects separately
  };

  constructor(client: PoolClient, { connections, names, replyTimeoutMs, readOnly }: PostgresClientParts) {
    this.client = client;
    this.connections = connections;
    this.names = names;
    this.readOnly = readOnly;
    this.timeout = replyTimeoutMs === undefined ? {} : { query_timeout: replyTimeoutMs };
    client.on("error", this.onError);
  }

  get unusable(): boolean {
    return this.isUnusable;
  }

  async run(statement: Statement, signal?: AbortSignal): Promise<Outcome> {
    if (this.released) throw transactionEnded();
    const { text } = statement;
    const known = this.names.of(text);
    if (known.changesSession) this.isUnusable = true;
    const { rows, rowCount } = await this.awaitReply(this.send(statement, known), text, signal);
    return { rows: rows ?? [], changes: rowCount ?? 0 };
  }

  private send(statement: Statement, known: StatementProperties): Promise<QueryOutcome> {
    const options = { types: this.connections.types, timeout: this.timeout };
    return new Promise((resolve, reject) => {
      sendStatement(this.client, statement, known, options, (error, outcome) => {
        if (error === null || error === undefined) resolve(outcome);
        else reject(error);
      });
    });
  }

  /** @param limitMs maximum time until the complete result has arrived, instead of the usual one */
  async rollback(limitMs: number): Promise<void> {
    const text = "ROLLBACK";
    const query = { text, query_timeout: limitMs };
    await this.awaitReply(this.client.query(query), text);
  }

  async script(text: string, signal?: AbortSignal): Promise<void> {
    if (leavesState(text)) this.isUnusable = true;
    await this.command(text, signal);
  }

  /** Runs a text without preparing or checking it. */
  async command(text: string, signal?: AbortSignal): Promise<QueryResult> {
    if (this.released) throw transactionEnded();
    signal?.throwIfAborted();
    return await this.awaitReply(this.client.query({ text, ...this.timeout }), text, signal);
  }

  private async awaitReply<T>(reply: Promise<T>, text: string, signal?: AbortSignal): Promise<T> {
    const sentAt = performance.now();
    try {
      const value = await orAborted(reply, signal);
      this.connections.recordReply(this.client);
      return value;
    } catch (error) {
      if (isBroken(error, this.readOnly) || isOutdated(error)) this.isUnusable = true;
      const isAborted = signal?.aborted === true && error === signal.reason;
      if (isAborted || isReplyTimeout(error)) this.abandon(reply, sentAt, isAborted);
      else this.connections.recordReply(this.client);
      if (!this.readOnly && isReadOnly(error)) this.connections.replaceAll();
      throw isAborted ? error : postgresError(error, text, this.readOnly);
    }
  }

  /** A reply to an abandoned statement must not reach the next user of the connection. */
  private abandon(reply: Promise<unknown>, sentAt: number, isAborted: boolean): void {
    this.isUnusable = true;
    reply.catch(() => {});
    if (isAborted && performance.now() - sentAt < MIN_SILENCE_MS) void this.connections.cancel(this.client);
    else this.connections.reportTimeout(this.client, sentAt);
  }

  release(): void {
    if (this.released) return;
    this.released = true;
    this.client.off("error", this.onError);
    if (this.isUnusable) this.client.on("error", () => {}); // an error may still follow
    this.client.release(this.isUnusable);
  }
}
