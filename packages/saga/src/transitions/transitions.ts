// The one table of what may happen to a saga. The store refuses every other change, and the model check explores exactly these.

/** Where a saga is. */
export const sagaStatuses = [
  "ready",
  "running",
  "waiting",
  "paused",
  "cancelling",
  "compensating",
  "completed",
  "compensated",
  "stuck",
] as const;

/**
 * State of a saga. `ready`: started, no step is done. `running`: between steps, or in one. `waiting`: for a message or a time. `paused`: a step failed in a
 * way that an operator must look at. `cancelling`: will be undone. `compensating`: is being undone. `stuck`: an undo gave up. The others are ends.
 */
export type SagaStatus = (typeof sagaStatuses)[number];

/** What happens to a saga. */
export type SagaEvent =
  | "advance"
  | "begin"
  | "again"
  | "wait"
  | "finish"
  | "fail"
  | "pause"
  | "cancel"
  | "undo"
  | "undoAgain"
  | "restore"
  | "giveUp"
  | "retry"
  | "skip"
  | "settle";

/** Changes at the end of a wait, and while steps run. */
const leaving = {
  advance: "running",
  wait: "waiting",
  finish: "completed",
  fail: "compensating",
  pause: "paused",
  cancel: "cancelling",
} as const;

/** Changes while it goes forward: `begin` records an intent, `again` a failed attempt. */
const forward = { ...leaving, begin: "running", again: "running" } as const;

/** Changes while it goes back. */
const backward = {
  undo: "compensating",
  undoAgain: "compensating",
  restore: "compensated",
  giveUp: "stuck",
} as const;

/** The status that follows from a status and an event; what is missing cannot happen. */
export const transitions: Readonly<Record<SagaStatus, Readonly<Partial<Record<SagaEvent, SagaStatus>>>>> = {
  ready: forward,
  running: forward,
  waiting: leaving,
  paused: { retry: "running", skip: "running", settle: "running", cancel: "cancelling" },
  cancelling: backward,
  compensating: backward,
  stuck: { retry: "compensating", skip: "compensating", settle: "compensating" },
  completed: {},
  compensated: {},
};

/** Statuses that a worker changes. */
export const isActive = (status: SagaStatus): boolean =>
  status === "ready" || status === "running" || status === "waiting" || isUndoing(status);

/** Statuses in which steps are undone. */
export const isUndoing = (status: SagaStatus): boolean =>
  status === "cancelling" || status === "compensating";

/** Statuses that never change again. */
export const isEnd = (status: SagaStatus): boolean => status === "completed" || status === "compensated";

/** Returns the status after an event; `null` when it cannot happen. */
export const statusAfter = (status: SagaStatus, event: SagaEvent): SagaStatus | null =>
  transitions[status][event] ?? null;
