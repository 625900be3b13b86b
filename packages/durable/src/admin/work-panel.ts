import { NotFoundError } from "@framework/core";
import type { Panel, PanelRow } from "@framework/core/feature";
import type { WorkInfo } from "../work/work-info.ts";
import type { WorkQueue } from "../work/work-queue.ts";

/** Maximum number of items shown for each state of a queue, newest first. */
const MAX_SHOWN = 20;

const shownStates = ["failed", "running", "ready", "waiting", "blocked", "done"] as const;
const unfinished: readonly string[] = ["running", "ready", "waiting", "blocked"];

/** Returns the dev-page panel of the queues of a process: jobs, deliveries and other work. */
export const workPanel = (queues: () => readonly WorkQueue<unknown>[]): Panel => {
  const queueOf = (row: string | null): readonly [WorkQueue<unknown>, string] => {
    const at = (row ?? "").lastIndexOf(" ");
    const queue = queues().find(({ name }) => name === row?.slice(0, at));
    if (row === null || queue === undefined)
      throw new NotFoundError("There is no such queue in this process");
    return [queue, row.slice(at + 1)];
  };
  const requireDone = (isDone: boolean, message: string): string => {
    if (!isDone) throw new NotFoundError("The item is no longer in that state");
    return message;
  };
  return {
    name: "work",
    title: "Queues and jobs",
    async read() {
      const found = await Promise.all(queues().map(itemsOf));
      const stats = await Promise.all(queues().map(noteOf));
      return {
        note: stats.length === 0 ? "There are no queues" : stats.join("; "),
        columns: ["Item", "State", "Key", "Attempts", "Due", "Error"],
        rows: found.flat(),
      };
    },
    actions: [
      {
        name: "retry",
        label: "Retry",
        on: "row",
        async run(row) {
          const [queue, id] = queueOf(row);
          return requireDone(await queue.retry(id), "The item will run again");
        },
      },
      {
        name: "cancel",
        label: "Cancel",
        on: "row",
        async run(row) {
          const [queue, id] = queueOf(row);
          return requireDone(await queue.cancel(id), "The item was cancelled");
        },
      },
    ],
  };
};

const noteOf = async (queue: WorkQueue<unknown>): Promise<string> => {
  const { waiting, ready, blocked, running } = await queue.stats();
  return `${queue.name}: ${running} running, ${ready} ready, ${waiting} waiting, ${blocked} blocked`;
};

const itemsOf = async (queue: WorkQueue<unknown>): Promise<readonly PanelRow[]> => {
  const pages = await Promise.all(
    shownStates.map((state) => queue.list({ state, order: "newest", limit: MAX_SHOWN })),
  );
  return pages.flatMap(({ items }) => items.map(rowOf));
};

const rowOf = ({ id, queue, state, key, attempts, runAt, error }: WorkInfo): PanelRow => ({
  id: `${queue} ${id}`,
  cells: [
    `${queue} ${id}`,
    state,
    key,
    attempts,
    new Date(runAt).toISOString(),
    error === null ? null : error.message,
  ],
  actions: state === "failed" ? ["retry"] : unfinished.includes(state) ? ["cancel"] : [],
});
