import type { Outcome, Session } from "./backend.ts";
import { FrameworkError } from "@framework/core";
import type { Ask, Executed, Queries, Row, StreamOptions } from "./queries.ts";
import { type Statement, type StatementArguments, toStatement } from "./statement.ts";

const MAX_BATCH = 10_000;
const DEFAULT_BATCH = 500;

/** The methods of `Queries` over anything that runs statements. */
export class SessionQueries implements Queries {
  readonly #session: Session;
  readonly #signal: AbortSignal | undefined;

  constructor(session: Session, signal?: AbortSignal) {
    this.#session = session;
    this.#signal = signal;
  }

  readonly query = (async (...args: StatementArguments): Promise<Row[]> =>
    (await this.#run(args)).rows) as Ask<object, "rows">;

  readonly fetchAll: Ask<object, "rows"> = this.query;

  readonly fetchOne = (async (...args: StatementArguments): Promise<Row | null> =>
    (await this.#run(args)).rows[0] ?? null) as Ask<object, "row">;

  readonly fetchValue = (async (...args: StatementArguments): Promise<unknown> => {
    const row = (await this.#run(args)).rows[0];
    if (row === undefined) return null;
    for (const column in row) return row[column];
    return null;
  }) as Ask<unknown, "value">;

  async execute(...args: StatementArguments): Promise<Executed> {
    return { changes: (await this.#run(args)).changes };
  }

  stream<T extends object = Row>(
    statement: Statement,
    { batchSize = DEFAULT_BATCH }: StreamOptions = {},
  ): AsyncIterableIterator<T> {
    if (!Number.isInteger(batchSize) || batchSize < 1 || batchSize > MAX_BATCH) {
      throw new FrameworkError(
        "DATABASE_BAD_BATCH",
        `batchSize is a whole number from 1 to ${MAX_BATCH}, not ${batchSize}`,
      );
    }
    return this.#session.stream(statement, batchSize, this.#signal) as AsyncIterableIterator<T>;
  }

  #run(args: StatementArguments): Outcome | Promise<Outcome> {
    this.#signal?.throwIfAborted();
    return this.#session.run(toStatement(args), this.#signal) as Outcome | Promise<Outcome>;
  }
}
