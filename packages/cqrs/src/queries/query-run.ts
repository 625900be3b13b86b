import type { AnyQuery } from "../definitions/query.ts";
import { type OperationCall, OperationRun } from "../pipeline/operation-run.ts";

/** The fixed part of one call of a query. */
export interface QueryCall extends OperationCall<AnyQuery> {
  /** Token of events that the answer must contain; `null` for none. */
  readonly after: string | null;
}

/** One call of a query on its way through the pipeline. */
export class QueryRun extends OperationRun<AnyQuery, QueryCall> {}
