import type { ErrorCatalogue } from "@framework/core/feature";

/** The error codes of this package. */
export const sagaErrors: ErrorCatalogue = {
  SAGA_BAD_DEFINITION: {
    summary: "a saga has an invalid name, version or step, or is defined twice; the app does not start",
    action: "correct the definition; the message names the problem",
  },
  SAGA_BAD_VALUE: {
    summary:
      "a key, an input, an output or a message does not match its schema, is not JSON data, or is larger than 1 MiB, or another argument of a call is invalid",
    action:
      "correct the value that the message names; store large data elsewhere and pass a reference. A step with such an output is paused",
  },
  SAGA_CHANGED: {
    summary:
      "the list of steps was changed while instances of its version are running; the app does not start",
    action: "give the new list a new version, and keep the old one until its instances end",
  },
  SAGA_ILLEGAL: {
    summary: "the state of the saga does not allow a change",
    action: "report this defect of the package",
  },
  SAGA_NOT_ENABLED: {
    summary: "sagas are used without `enableSaga()`",
    action: "call it before the start",
  },
  SAGA_NOT_POSSIBLE: {
    summary:
      "409: the state of a saga does not allow an operator's decision or a further message, or a filter or reason is invalid",
    action: "read the saga again, or correct the argument; the message states the problem",
  },
  SAGA_NO_MESSAGING: {
    summary: "a step sends messages in an app without messaging",
    action: "compose and enable `@framework/messaging` before this feature",
  },
  SAGA_NO_WAIT: {
    summary: "`deliver` names a message that no version of the saga in this process waits for",
    action: "correct the name, or define the version that waits for it; the message has the nearest name",
  },
  SAGA_REJECTED: {
    summary: "a step threw a `SagaReject`; the saga is compensated",
    action: "read the reason in `error` of the saga; a business rejection needs no correction",
  },
  SAGA_STALE: {
    summary: "a saga was changed by another process, or taken over, before a change was written",
    action: "repeat an operator's decision; a worker reads the saga again automatically",
  },
  SAGA_STEP_TIMEOUT: {
    summary: "an attempt took longer than the `timeoutMs` of its step; it counts as a transient error",
    action: "raise the limit, or find out why the step is slow",
  },
  SAGA_TIMEOUT: {
    summary:
      "a wait, or the active time of all steps, was longer than its limit; the saga is compensated, or paused after the pivot",
    action: "raise `timeout` of the wait or `SagaConfig.timeoutMs`, or find out why it took so long",
  },
  SAGA_UNHEALTHY: {
    summary: "the health check `sagas` failed",
    action: "decide about the instances that need an operator, or deploy the versions that the message names",
  },
  SAGA_UNKNOWN: {
    summary: "the process does not define the saga",
    action: "call `app.saga.define` in every process that starts or messages it",
  },
  SAGA_UNKNOWN_OUTCOME: {
    summary: 'a worker was lost during a step with `onUnknown: "manual"`; the saga is paused',
    action: "find out whether the step took effect; then retry, settle or cancel",
  },
  SAGA_WORKERS_LOST: {
    summary: "ten workers were lost while they ran one saga; it is paused, or stuck if it was being undone",
    action: "find out why its step kills processes; then retry, skip or cancel",
  },
};
