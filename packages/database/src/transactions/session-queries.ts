import { FrameworkError } from "@framework/core";
import { markHandled, isPromise, describeInvalid } from "@framework/core/feature";
import { isObject } from "../arguments.ts";
import type { Outcome, Session } from "../backend.ts";
import type { QueryMethod, StatementResult, Queries, Row, StreamOptions, UntilOptions } from "../queries.ts";
import type { TextChecker } from "../sql-text/text-checker.ts";
import {
  type StatementInput,
  type StatementArguments,
  checkStatement,
  type Statement,
  toStatement,
} from "../statement.ts";

const MAX_BATCH = 10_000;
const DEFAULT_BATCH = 500;

/** Implements `Queries` on a `Session`. */
export class SessionQueries implements Queries {
  protected readonly checker: TextChecker;
  private readonly session: Session;
  protected readonly signal: AbortSignal | undefined;
  private readonly isUrgent: boolean;

  constructor(session: Session, checker: TextChecker, signal?: AbortSignal, options: UntilOptions = {}) {
    this.session = session;
    this.checker = checker;
    this.signal = signal;
    this.isUrgent = isObject(options) && options.isUrgent === true;
  }

  readonly query = ((input: StatementInput, ...others: StatementArguments): Promise<Row[]> =>
    this.runAndPick(input, others, allRows)) as QueryMethod<object, "rows">;

  readonly fetchAll: QueryMethod<object, "rows"> = this.query;

  readonly fetchOne = ((input: StatementInput, ...others: StatementArguments): Promise<Row | null> =>
    this.runAndPick(input, others, firstRow, true)) as QueryMethod<object, "row">;

  readonly fetchValue = ((input: StatementInput, ...others: StatementArguments): Promise<unknown> =>
    this.runAndPick(input, others, firstValue, true)) as QueryMethod<unknown, "value">;

  execute(input: StatementInput, ...others: StatementArguments): Promise<StatementResult> {
    return this.runAndPick(input, others, toStatementResult);
  }

  stream<T extends object = Row>(
    statement: Statement,
    options: StreamOptions = {},
  ): AsyncIterableIterator<T> {
    const batchSize = isObject(options) ? (options.batchSize ?? DEFAULT_BATCH) : NaN;
    if (!Number.isInteger(batchSize) || batchSize < 1 || batchSize > MAX_BATCH) {
      throw new FrameworkError(
        "DATABASE_BAD_BATCH",
        isObject(options)
          ? `batchSize must be a whole number from 1 to ${MAX_BATCH}, not ${batchSize}`
          : `the options of a stream must be an object, not ${describeInvalid(options)}`,
      );
    }
    checkStatement(statement);
    this.checker.check(statement);
    const batches = this.session.stream(statement, batchSize, this.signal);
    return oneByOne(batches, this.signal) as AsyncIterableIterator<T>;
  }

  /** Not async, because SQLite runs synchronously. */
  private runAndPick<T>(
    input: StatementInput,
    others: StatementArguments,
    pick: (outcome: Outcome) => T,
    first = false,
  ): Promise<T> {
    try {
      this.signal?.throwIfAborted();
      const { session, signal, isUrgent } = this;
      const statement = toStatement(input, others);
      this.checker.check(statement);
      const outcome = session.run(statement, { signal, isUrgent, first, waitedMs: 0, workedMs: null });
      return isPromise(outcome) ? markHandled(pickLater(outcome, pick)) : Promise.resolve(pick(outcome));
    } catch (error) {
      // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- rejects with any thrown value, like an async function
      return markHandled(Promise.reject(error));
    }
  }
}

/** Async, so that the stack of an error includes the caller. */
const pickLater = async <T>(outcome: Promise<Outcome>, pick: (outcome: Outcome) => T): Promise<T> =>
  pick(await outcome);

async function* oneByOne(
  batches: AsyncIterableIterator<Row[]>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Row> {
  signal?.throwIfAborted();
  for await (const rows of batches) {
    signal?.throwIfAborted();
    for (const row of rows) {
      yield row;
      signal?.throwIfAborted();
    }
  }
}

const allRows = ({ rows }: Outcome): Row[] => rows;

const firstRow = ({ rows }: Outcome): Row | null => rows[0] ?? null;

const firstValue = ({ rows: [row] }: Outcome): unknown => {
  for (const column in row) return row[column];
  return null;
};

const toStatementResult = ({ changes }: Outcome): StatementResult => ({ changes });
