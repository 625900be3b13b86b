import { handled } from "@framework/core/feature";
import type { Ask, Executed, Queries, Row, StreamOptions } from "../queries.ts";
import { type Asked, type AskedWith, type Statement, toStatement } from "../statement.ts";
import type { DoomedProcess } from "./doomed-process.ts";

/** Statements inside a transaction, of a process that dies at one of them. */
export class FaultingQueries implements Queries {
  protected readonly process: DoomedProcess;
  private readonly queries: Queries;

  constructor(queries: Queries, process: DoomedProcess) {
    this.queries = queries;
    this.process = process;
  }

  readonly query = ((asked: Asked, ...others: AskedWith): Promise<Row[]> =>
    this.ask(asked, others, (statement) => this.queries.query(statement))) as Ask<object, "rows">;

  readonly fetchAll: Ask<object, "rows"> = this.query;

  readonly fetchOne = ((asked: Asked, ...others: AskedWith): Promise<Row | null> =>
    this.ask(asked, others, (statement) => this.queries.fetchOne(statement))) as Ask<object, "row">;

  readonly fetchValue = ((asked: Asked, ...others: AskedWith): Promise<unknown> =>
    this.ask(asked, others, (statement) => this.queries.fetchValue(statement))) as Ask<unknown, "value">;

  execute(asked: Asked, ...others: AskedWith): Promise<Executed> {
    return this.ask(asked, others, (statement) => this.queries.execute(statement));
  }

  stream<T extends object = Row>(statement: Statement, options?: StreamOptions): AsyncIterableIterator<T> {
    return this.alive(this.queries.stream<T>(statement, options), statement.text);
  }

  protected async *alive<T>(rows: AsyncIterableIterator<T>, text: string): AsyncGenerator<T> {
    const answered = this.process.send(text);
    for await (const row of rows) {
      answered();
      yield row;
      this.process.checkAlive(); // the next batch is not fetched
    }
    answered();
  }

  protected call<T>(run: () => Promise<T>): Promise<T> {
    return handled(run());
  }

  private ask<T>(asked: Asked, others: AskedWith, run: (statement: Statement) => Promise<T>): Promise<T> {
    return this.call(async () => {
      const statement = toStatement(asked, others);
      return await this.process.act(statement.text, () => run(statement));
    });
  }
}

/** Statements outside a transaction. */
export class FaultingCalls extends FaultingQueries {
  protected override call<T>(run: () => Promise<T>): Promise<T> {
    return handled(this.process.call(run));
  }

  protected override async *alive<T>(rows: AsyncIterableIterator<T>, text: string): AsyncGenerator<T> {
    this.process.checkOpen();
    yield* super.alive(rows, text);
  }
}
