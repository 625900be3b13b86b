import { dbos } from "../driver/dbos-sdk.ts";
import type { SagaFilter, SagaPage, SagaSummary } from "@framework/saga";
import { notPossible, type SagaRegistry } from "@framework/saga/feature";
import { instanceId, workflowOf } from "../names/ids.ts";
import { scan } from "./scan.ts";
import { findSaga, readSaga, summaryOf } from "./saga-view.ts";

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1000;
/** Maximum number of instances scanned per call; a page with a `next` may therefore be shorter than its limit. */
export const MAX_SCAN = 10_000;

/**
 * Lists the instances of the versions that this process defines, oldest first. The records of each instance are read, because its status is derived from
 * them. @throws HttpError 409 for an invalid limit or `after`
 */
export const list = async (
  registry: SagaRegistry,
  { name, status, key, after, limit = DEFAULT_LIMIT }: SagaFilter,
): Promise<SagaPage> => {
  if (!(Number.isInteger(limit) && limit >= 1 && limit <= MAX_LIMIT))
    throw notPossible(`limit must be a whole number from 1 to ${MAX_LIMIT}`);
  const begin = offsetOf(after);
  const isWanted = (each: SagaSummary): boolean =>
    (status === undefined || each.status === status) && (key === undefined || each.key === key);
  if (name !== undefined && key !== undefined) {
    const found = await findSaga(registry, instanceId(name, key));
    return { sagas: found === null ? [] : [summaryOf(found)].filter(isWanted), next: null };
  }
  const workflowName = registry
    .all()
    .filter((each) => name === undefined || each.name === name)
    .map(workflowOf);
  if (workflowName.length === 0) return { sagas: [], next: null };
  const { found, next } = await scan(
    { begin, limit, maxRows: MAX_SCAN },
    (offset, count) => dbos().listWorkflows({ workflowName, offset, limit: count }),
    async (workflow) => {
      const view = await readSaga(registry, workflow);
      const summary = view === null ? null : summaryOf(view);
      return summary !== null && isWanted(summary) ? summary : null;
    },
  );
  return { sagas: found, next: next === null ? null : cursorOf(next) };
};

const cursorOf = (offset: number): string => `${offset}_0`;

const offsetOf = (after: string | undefined): number => {
  if (after === undefined) return 0;
  const [, offset] = /^(\d{1,9})_0$/.exec(after) ?? [];
  if (offset === undefined) throw notPossible("after must be the `next` cursor of a previous page");
  return Number(offset);
};
