import type { AnyQuery } from "../definitions/query.ts";
import { type OperationCall, OperationRun } from "../pipeline/operation-run.ts";

/** Immutable data of one call of a query. */
export interface QueryCall extends OperationCall<AnyQuery> {
  /** Token of events that the result must contain; `null` for none. */
  readonly after: string | null;
}

/** Mutable state of one call of a query in the pipeline. */
export class QueryRun extends OperationRun<AnyQuery, QueryCall> {}
