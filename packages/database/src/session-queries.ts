import { FrameworkError, isPromise } from "@framework/core";
import type { Outcome, Session } from "./backend.ts";
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

  readonly query = ((...args: StatementArguments): Promise<Row[]> => this.#answer(args, allRows)) as Ask<
    object,
    "rows"
  >;

  readonly fetchAll: Ask<object, "rows"> = this.query;

  readonly fetchOne = ((...args: StatementArguments): Promise<Row | null> =>
    this.#answer(args, firstRow, true)) as Ask<object, "row">;

  readonly fetchValue = ((...args: StatementArguments): Promise<unknown> =>
    this.#answer(args, firstValue, true)) as Ask<unknown, "value">;

  execute(...args: StatementArguments): Promise<Executed> {
    return this.#answer(args, executed);
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

  /** No async function: what SQLite knows at once is not waited for. */
  #answer<T>(args: StatementArguments, pick: (outcome: Outcome) => T, first = false): Promise<T> {
    try {
      this.#signal?.throwIfAborted();
      const outcome = this.#session.run(toStatement(args), this.#signal, first);
      return isPromise(outcome) ? later(outcome, pick) : Promise.resolve(pick(outcome));
    } catch (error) {
      // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- whatever was thrown, as an async function would
      return Promise.reject(error);
    }
  }
}

/** An async function, so that the stack of an error leads to who asked. */
const later = async <T>(outcome: Promise<Outcome>, pick: (outcome: Outcome) => T): Promise<T> =>
  pick(await outcome);

const allRows = ({ rows }: Outcome): Row[] => rows;

const firstRow = ({ rows }: Outcome): Row | null => rows[0] ?? null;

const firstValue = ({ rows: [row] }: Outcome): unknown => {
  for (const column in row) return row[column];
  return null;
};

const executed = ({ changes }: Outcome): Executed => ({ changes });
