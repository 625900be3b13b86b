import { FrameworkError } from "@framework/core";

/** Remedy for an app without an event store. */
export const NO_STORE =
  "events need the feature eventSourcing, named before cqrs in App.with, and enableEventSourcing()";

/** Creates the error of a handler that uses events in an app without an event store. */
export const noEventStore = (): FrameworkError =>
  new FrameworkError("CQRS_NO_EVENT_STORE", `cqrs: ${NO_STORE}`);
