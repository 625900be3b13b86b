import { NotFoundError } from "@framework/core";
import type { Panel, PanelAction } from "@framework/core/feature";
import type { SagaInfo, TimelineEntry } from "../operate/saga-info.ts";
import type { Verb } from "../operate/verbs.ts";
import type { SagaRunner } from "../port/saga-runner.ts";
import type { SagaStatus } from "../transitions/transitions.ts";

const MAX_READ = 1000;
const MAX_SHOWN = 100;

const heldStatuses: readonly SagaStatus[] = ["paused", "stuck"];
const notCancellable: readonly SagaStatus[] = [
  "completed",
  "compensated",
  "cancelling",
  "compensating",
  "stuck",
];

const labels: Readonly<Record<Verb, string>> = {
  retry: "Retry",
  skip: "Skip",
  settle: "Settle",
  cancel: "Cancel",
};

/** Returns the dev-page panel of sagas, with their timelines and the operators' actions. */
export const sagaPanel = (runner: () => SagaRunner): Panel => ({
  name: "sagas",
  title: "Sagas",
  async read() {
    const { sagas, next } = await runner().list({ limit: MAX_READ });
    const latest = sagas.toSorted((one, other) => other.updatedAt - one.updatedAt).slice(0, MAX_SHOWN);
    const note = noteOf(sagas.length, next !== null);
    return {
      ...(note !== null && { note }),
      columns: ["Saga", "Key", "Status", "Next step", "Waits for", "Changed", "Failure"],
      rows: latest.map(({ id, name, version, key, status, position, waitsFor, updatedAt, error }) => ({
        id,
        cells: [
          `${name} version ${version}`,
          key,
          status,
          position + 1,
          waitsFor,
          timeOf(updatedAt),
          error?.message ?? null,
        ],
        actions: [
          ...(heldStatuses.includes(status) ? ["retry", "skip", "settle"] : []),
          ...(notCancellable.includes(status) ? [] : ["cancel"]),
        ],
      })),
    };
  },
  async details(id) {
    const saga = await runner().get(id);
    if (saga === null) throw new NotFoundError("There is no such saga");
    return sagaTables(saga, await runner().timeline(id));
  },
  actions: (Object.entries(labels) as [Verb, string][]).map(([verb, label]): PanelAction => ({
    name: verb,
    label,
    on: "row",
    fields: [{ name: "reason", label: "Reason" }],
    async run(id, { reason = "" }) {
      if (!(await runner()[verb](id ?? "", { reason }))) throw new NotFoundError("There is no such saga");
    },
  })),
});

const noteOf = (read: number, hasMore: boolean): string | null => {
  if (hasMore) return `The ${MAX_SHOWN} most recently changed of the oldest ${read} instances`;
  if (read > MAX_SHOWN) return `The ${MAX_SHOWN} most recently changed of ${read} instances`;
  return read === 0 ? "There are no sagas" : null;
};

/** Returns the timeline and the steps of a saga as tables, without inputs and outputs. */
export const sagaTables = (
  saga: SagaInfo,
  timeline: readonly TimelineEntry[],
): Awaited<ReturnType<NonNullable<Panel["details"]>>> => [
  {
    title: "Timeline",
    columns: ["Time", "Event", "Step", "Status", "Note"],
    rows: timeline.map(({ number, at, event, step, status, note }) => ({
      id: String(number),
      cells: [timeOf(at), event, step, status, note],
    })),
  },
  {
    title: "Started steps",
    columns: ["Step", "Status", "Attempts", "Attempts at the undo", "Failure"],
    rows: saga.steps.map(({ position, step, branch, status, attempts, undoAttempts, error }) => ({
      id: `${position} ${branch}`,
      cells: [
        [step ?? `step ${position + 1}`, ...(branch === "" ? [] : [branch])].join("/"),
        status,
        attempts,
        undoAttempts,
        error?.message ?? null,
      ],
    })),
  },
];

const timeOf = (ms: number): string => new Date(ms).toISOString();
