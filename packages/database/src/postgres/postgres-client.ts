import type { PoolClient } from "pg";
import type { Outcome } from "../backend.ts";
import type { Row } from "../queries.ts";
import type { Statement } from "../statement.ts";
import type { Connections } from "./connections.ts";
import { leavesState } from "./lasting-state.ts";
import { isBroken, postgresError } from "./postgres-errors.ts";
import type { StatementNames } from "./statement-names.ts";

/** A connection leased from the pool; it is destroyed on return when its state is unknown. */
export class PostgresClient {
  private readonly client: PoolClient;
  private readonly connections: Connections;
  private readonly names: StatementNames;
  private isUnusable = false;
  private released = false;
  private readonly onError = (): void => {
    this.isUnusable = true; // the current statement rejects by itself
  };

  constructor(client: PoolClient, connections: Connections, names: StatementNames) {
    this.client = client;
    this.connections = connections;
    this.names = names;
    client.on("error", this.onError);
  }

  get unusable(): boolean {
    return this.isUnusable;
  }

  async run({ text, values }: Statement, signal?: AbortSignal): Promise<Outcome> {
    const { name, lasting } = this.names.of(text);
    if (lasting) this.isUnusable = true;
    const query = name === undefined ? { text, values: [...values] } : { name, text, values: [...values] };
    const { rows, rowCount } = await this.answered(this.client.query<Row>(query), text, signal);
    return { rows: rows ?? [], changes: rowCount ?? 0 };
  }

  async script(text: string): Promise<void> {
    if (leavesState(text)) this.isUnusable = true;
    await this.answered(this.client.query(text), text);
  }

  private async answered<T>(answer: Promise<T>, text: string, signal?: AbortSignal): Promise<T> {
    const stop = signal === undefined ? null : this.stopOn(signal);
    try {
      return await (stop === null ? answer : Promise.race([answer, stop.promise]));
    } catch (error) {
      if (signal?.aborted === true) {
        answer.catch(() => {});
        throw signal.reason;
      }
      if (isBroken(error)) this.isUnusable = true;
      throw postgresError(error, text);
    } finally {
      stop?.off();
    }
  }

  /** A reply to an abandoned statement must not reach the next user of the connection. */
  private stopOn(signal: AbortSignal): { promise: Promise<never>; off: () => void } {
    const { promise, reject } = Promise.withResolvers<never>();
    promise.catch(() => {});
    const stop = (): void => {
      this.isUnusable = true;
      void this.connections.cancel(this.client);
      reject(signal.reason);
    };
    signal.addEventListener("abort", stop, { once: true });
    return { promise, off: () => signal.removeEventListener("abort", stop) };
  }

  release(): void {
    if (this.released) return;
    this.released = true;
    this.client.off("error", this.onError);
    if (this.isUnusable) this.client.on("error", () => {}); // its end event may still follow
    this.client.release(this.isUnusable);
  }
}
