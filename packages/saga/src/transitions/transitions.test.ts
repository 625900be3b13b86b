// Two workers and an operator on one saga, in every order: an explicit-state check of the transition table, under the guards of the store.
import { expect, test } from "@jest/globals";
import {
  isActive,
  isEnd,
  isUndoing,
  type SagaEvent,
  type SagaStatus,
  statusAfter,
  transitions,
} from "./transitions.ts";

/** A worker that has read the saga. It holds the claim if `fence` is still the saga's; its writes are accepted if `revision` is as well. */
interface Worker {
  readonly fence: number;
  readonly revision: number;
  readonly read: Saga;
}

interface Saga {
  /** Number of steps of the saga. */
  readonly steps: number;
  readonly status: SagaStatus;
  readonly done: number;
  /** Steps that may have happened and are not undone. */
  readonly open: number;
}

interface State {
  readonly saga: Saga;
  readonly revision: number;
  readonly fence: number;
  readonly workers: readonly [Worker | null, Worker | null];
}

/** Writes that a worker or an operator may make in a state of the saga. */
const writes = (saga: Saga): readonly (readonly [SagaEvent, Saga])[] => {
  const { steps, status, done, open } = saga;
  const to = (event: SagaEvent, change: Partial<Saga>): readonly [SagaEvent, Saga] => [
    event,
    { ...saga, status: statusAfter(status, event) ?? status, ...change },
  ];
  if (isUndoing(status))
    return open === 0
      ? [to("restore", {})]
      : [to(open === 1 ? "restore" : "undo", { open: open - 1 }), to("undoAgain", {}), to("giveUp", {})];
  const isLast = done === steps - 1;
  const intent = Math.min(done + 1, steps);
  const leaving = [
    to(isLast ? "finish" : "advance", { done: done + 1, open: isLast ? done + 1 : intent }),
    to("fail", {}),
    to("pause", {}),
    to("wait", {}),
  ];
  if (status !== "waiting") leaving.push(to("begin", { open: intent }), to("again", { open: intent }));
  return leaving;
};

const decisions = (saga: Saga): readonly (readonly [SagaEvent, Saga])[] =>
  (["cancel", "retry", "skip", "settle"] as const).flatMap((event) => {
    const status = statusAfter(saga.status, event);
    if (status === null) return [];
    const open = saga.status === "stuck" && event !== "retry" ? saga.open - 1 : saga.open;
    return [[event, { ...saga, status, open }]];
  });

const withWorker = (state: State, at: number, worker: Worker | null): State["workers"] =>
  state.workers.map((each, index) => (index === at ? worker : each)) as unknown as State["workers"];

interface Step {
  readonly by: string;
  readonly event: SagaEvent | null;
  readonly next: State;
}

const steps = (state: State): readonly Step[] => {
  const { saga, revision, fence, workers } = state;
  const found: Step[] = [];
  for (const at of [0, 1]) {
    const worker = workers[at] ?? null;
    if (worker === null) {
      if (!isActive(saga.status)) continue;
      const claimed = { fence: fence + 1, revision, read: saga }; // a new run, or the run of a lost worker
      found.push({
        by: "claim",
        event: null,
        next: { ...state, fence: fence + 1, workers: withWorker(state, at, claimed) },
      });
      continue;
    }
    found.push({ by: "crash", event: null, next: { ...state, workers: withWorker(state, at, null) } });
    if (!isActive(worker.read.status)) continue;
    for (const [event, next] of writes(worker.read)) {
      const isAccepted = worker.fence === fence && worker.revision === revision;
      const after = isAccepted
        ? {
            ...state,
            saga: next,
            revision: revision + 1,
            workers: withWorker(
              state,
              at,
              isActive(next.status) ? { ...worker, revision: revision + 1, read: next } : null,
            ),
          }
        : { ...state, workers: withWorker(state, at, null) };
      found.push({
        by: "write",
        event: isAccepted ? event : null,
        next: after,
      });
    }
  }
  for (const [event, next] of decisions(saga))
    found.push({
      by: "operator",
      event,
      next: { ...state, saga: next, revision: revision + 1, fence: fence + 1 },
    });
  return found;
};

/** Returns a key of a state, with fences and revisions relative to the saga's. */
const idOf = ({ saga, revision, fence, workers }: State): string =>
  JSON.stringify([
    saga,
    workers.map((worker) => worker && [fence === worker.fence, revision === worker.revision, worker.read]),
  ]);

/** Violated invariants of a state. */
const violationsOf = (state: State): readonly string[] => {
  const { status, done, open, steps: count } = state.saga;
  const found: string[] = [];
  if (status === "completed" && done !== count) found.push("completed before the last step");
  if (status === "compensated" && open > 0) found.push("compensated with a step that is not undone");
  if (!isEnd(status) && steps(state).length === 0) found.push(`no step leaves ${status}`);
  return found;
};

const isLegal = (before: Saga, event: SagaEvent | null, after: Saga): boolean =>
  event === null ? before === after : statusAfter(before.status, event) === after.status;

test("two workers, crashes, lost claims and an operator reach every transition of the table, and no others", () => {
  const queue = [1, 2].map((count): State => ({
    saga: { steps: count, status: "ready", done: 0, open: 1 },
    revision: 0,
    fence: 0,
    workers: [null, null],
  }));
  const seen = new Set(queue.map(idOf));
  const reached = new Set<string>();
  const violations: string[] = [];
  for (let state = queue.pop(); state !== undefined; state = queue.pop()) {
    const { saga } = state;
    violations.push(...violationsOf(state));
    for (const { event, next } of steps(state)) {
      if (event !== null) reached.add(`${saga.status} ${event}`);
      if (!isLegal(saga, event, next.saga)) violations.push(`${saga.status} ${event} ${next.saga.status}`);
      const id = idOf(next);
      if (seen.has(id)) continue;
      seen.add(id);
      queue.push(next);
    }
  }
  expect(violations).toEqual([]);
  const table = Object.entries(transitions).flatMap(([status, events]) =>
    Object.keys(events).map((event) => `${status} ${event}`),
  );
  expect(Array.from(reached).toSorted()).toEqual(table.toSorted());
  expect(seen.size).toBeGreaterThan(500);
});
