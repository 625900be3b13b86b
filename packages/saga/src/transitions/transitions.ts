// The table of all state transitions of a saga. The store refuses every other change, and the model check explores exactly these.

/** Statuses of a saga. */
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
 * Status of a saga. `ready`: started, no step is done. `running`: between steps, or in one. `waiting`: for a message or a time. `paused`: a step failed, and
 * an operator must decide. `cancelling`: will be undone. `compensating`: is being undone. `stuck`: an undo gave up. `completed` and `compensated` are final.
 */
export type SagaStatus = (typeof sagaStatuses)[number];

/** Events of a saga. */
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

/** Transitions at the end of a wait, and while steps run. */
const fromWaiting = {
  advance: "running",
  wait: "waiting",
  finish: "completed",
  fail: "compensating",
  pause: "paused",
  cancel: "cancelling",
} as const;

/** Transitions while steps run: `begin` records an intent, `again` a failed attempt. */
const forward = { ...fromWaiting, begin: "running", again: "running" } as const;

/** Transitions during compensation. */
const backward = {
  undo: "compensating",
  undoAgain: "compensating",
  restore: "compensated",
  giveUp: "stuck",
} as const;

/** Next status by status and event; a missing entry means that the event is not allowed. */
export const transitions: Readonly<Record<SagaStatus, Readonly<Partial<Record<SagaEvent, SagaStatus>>>>> = {
  ready: forward,
  running: forward,
  waiting: fromWaiting,
  paused: { retry: "running", skip: "running", settle: "running", cancel: "cancelling" },
  cancelling: backward,
  compensating: backward,
  stuck: { retry: "compensating", skip: "compensating", settle: "compensating" },
  completed: {},
  compensated: {},
};

/** Whether a worker may change a saga in a status. */
export const isActive = (status: SagaStatus): boolean =>
  status === "ready" || status === "running" || status === "waiting" || isUndoing(status);

/** Whether steps are undone in a status. */
export const isUndoing = (status: SagaStatus): boolean =>
  status === "cancelling" || status === "compensating";

/** Whether a status is final. */
export const isEnd = (status: SagaStatus): boolean => status === "completed" || status === "compensated";

/** Returns the status after an event; `null` if the event is not allowed. */
export const statusAfter = (status: SagaStatus, event: SagaEvent): SagaStatus | null =>
  transitions[status][event] ?? null;
