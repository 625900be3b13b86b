import type { AnyQuery } from "../definitions/query.ts";
import { OperationRun } from "../pipeline/operation-run.ts";

/** One call of a query on its way through the pipeline. */
export class QueryRun extends OperationRun<AnyQuery> {}
