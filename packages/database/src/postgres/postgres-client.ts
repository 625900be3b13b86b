import type { PoolClient } from "pg";
import type { Outcome } from "../backend.ts";
import type { Row } from "../queries.ts";
import type { Statement } from "../statement.ts";
import type { Connections } from "./connections.ts";
import { leavesState } from "./lasting-state.ts";
import { isBroken, postgresError } from "./postgres-errors.ts";
import type { StatementNames } from "./statement-names.ts";

/** A connection taken from the pool, until it is given back: whole, or destroyed when nobody can know its state. */
export class PostgresClient {
  readonly #client: PoolClient;
  readonly #connections: Connections;
  readonly #names: StatementNames;
  #spoilt = false;
  #released = false;
  readonly #onError = (): void => {
    this.#spoilt = true; // the statement under way rejects by itself
  };

  constructor(client: PoolClient, connections: Connections, names: StatementNames) {
    this.#client = client;
    this.#connections = connections;
    this.#names = names;
    client.on("error", this.#onError);
  }

  get spoilt(): boolean {
    return this.#spoilt;
  }

  async run({ text, values }: Statement, signal?: AbortSignal): Promise<Outcome> {
    const { name, lasting } = this.#names.of(text);
    if (lasting) this.#spoilt = true;
    const query = name === undefined ? { text, values: [...values] } : { name, text, values: [...values] };
    const { rows, rowCount } = await this.#answered(this.#client.query<Row>(query), text, signal);
    return { rows: rows ?? [], changes: rowCount ?? 0 };
  }

  async script(text: string): Promise<void> {
    if (leavesState(text)) this.#spoilt = true;
    await this.#answered(this.#client.query(text), text);
  }

  async #answered<T>(answer: Promise<T>, text: string, signal?: AbortSignal): Promise<T> {
    const stop = signal === undefined ? null : this.#stopOn(signal);
    try {
      return await (stop === null ? answer : Promise.race([answer, stop.promise]));
    } catch (error) {
      if (signal?.aborted === true) {
        answer.catch(() => {});
        throw signal.reason;
      }
      if (isBroken(error)) this.#spoilt = true;
      throw postgresError(error, text);
    } finally {
      stop?.off();
    }
  }

  /** An answer that nobody waits for any more must not reach the next user of the connection. */
  #stopOn(signal: AbortSignal): { promise: Promise<never>; off: () => void } {
    const { promise, reject } = Promise.withResolvers<never>();
    promise.catch(() => {});
    const stop = (): void => {
      this.#spoilt = true;
      void this.#connections.cancel(this.#client);
      reject(signal.reason);
    };
    signal.addEventListener("abort", stop, { once: true });
    return { promise, off: () => signal.removeEventListener("abort", stop) };
  }

  release(): void {
    if (this.#released) return;
    this.#released = true;
    this.#client.off("error", this.#onError);
    if (this.#spoilt) this.#client.on("error", () => {}); // its end may still be on the way
    this.#client.release(this.#spoilt);
  }
}
