import { markHandled } from "@framework/core/feature";
import type { QueryMethod, StatementResult, Queries, Row, StreamOptions } from "../queries.ts";
import { type StatementInput, type StatementArguments, type Statement, toStatement } from "../statement.ts";
import type { CrashingProcess } from "./crashing-process.ts";

/** Statements inside a transaction, of a process that dies at one of them. */
export class FaultingQueries implements Queries {
  protected readonly process: CrashingProcess;
  private readonly queries: Queries;

  constructor(queries: Queries, process: CrashingProcess) {
    this.queries = queries;
    this.process = process;
  }

  readonly query = ((input: StatementInput, ...others: StatementArguments): Promise<Row[]> =>
    this.send(input, others, (statement) => this.queries.query(statement))) as QueryMethod<object, "rows">;

  readonly fetchAll: QueryMethod<object, "rows"> = this.query;

  readonly fetchOne = ((input: StatementInput, ...others: StatementArguments): Promise<Row | null> =>
    this.send(input, others, (statement) => this.queries.fetchOne(statement))) as QueryMethod<object, "row">;

  readonly fetchValue = ((input: StatementInput, ...others: StatementArguments): Promise<unknown> =>
    this.send(input, others, (statement) => this.queries.fetchValue(statement))) as QueryMethod<
    unknown,
    "value"
  >;

  execute(input: StatementInput, ...others: StatementArguments): Promise<StatementResult> {
    return this.send(input, others, (statement) => this.queries.execute(statement));
  }

  stream<T extends object = Row>(statement: Statement, options?: StreamOptions): AsyncIterableIterator<T> {
    return this.whileAlive(this.queries.stream<T>(statement, options), statement.text);
  }

  protected async *whileAlive<T>(rows: AsyncIterableIterator<T>, text: string): AsyncGenerator<T> {
    const onReply = this.process.send(text);
    for await (const row of rows) {
      onReply();
      yield row;
      this.process.checkAlive(); // the next batch is not fetched
    }
    onReply();
  }

  protected call<T>(run: () => Promise<T>): Promise<T> {
    return markHandled(run());
  }

  private send<T>(
    input: StatementInput,
    others: StatementArguments,
    run: (statement: Statement) => Promise<T>,
  ): Promise<T> {
    return this.call(async () => {
      const statement = toStatement(input, others);
      return await this.process.act(statement.text, () => run(statement));
    });
  }
}

/** Statements outside a transaction. */
export class FaultingCalls extends FaultingQueries {
  protected override call<T>(run: () => Promise<T>): Promise<T> {
    return markHandled(this.process.call(run));
  }

  protected override async *whileAlive<T>(rows: AsyncIterableIterator<T>, text: string): AsyncGenerator<T> {
    this.process.checkOpen();
    yield* super.whileAlive(rows, text);
  }
}
