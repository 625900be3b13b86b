import { Context } from "@framework/core";
import type { HostInsight } from "@framework/core/feature";
import { metadataOf } from "./base/current-metadata.ts";
import { type EventMetadata, noMetadata } from "./events/event-metadata.ts";

/** Kinds of work whose invocation the metadata of events names. */
const kinds: readonly string[] = [
  "http",
  "websocket",
  "message",
  "command",
  "query",
  "job",
  "work",
  "saga",
  "graphql",
  "grpc",
];

/**
 * Returns a function that gives the metadata of the work around its call: of the request, message or command that an app runs at this moment.
 *
 * The app keeps its current operation only while it has a listener, so this adds one.
 */
export const followCurrentWork = (insight: HostInsight): (() => EventMetadata) => {
  insight.onOperation({ kinds, start: () => null });
  return () => {
    const subject = insight.currentOperation()?.subject ?? null;
    return hasContext(subject) ? metadataOf(subject) : noMetadata;
  };
};

const hasContext = (subject: object | null): subject is { readonly context: Context } =>
  subject !== null && "context" in subject && subject.context instanceof Context;
