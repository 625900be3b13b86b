import { Context } from "@framework/core";
import type { HostInsight } from "@framework/core/feature";
import { metadataOf } from "./base/current-metadata.ts";
import { type EventMetadata, noMetadata } from "./events/event-metadata.ts";

/** Kinds of operations that event metadata is taken from. */
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
 * Returns a function that returns the metadata of the current operation: the request, message or command that the app is handling at the time of the call.
 *
 * Adds a listener, because the app tracks its current operation only while there is one.
 */
export const trackCurrentWork = (insight: HostInsight): (() => EventMetadata) => {
  insight.onOperation({ kinds, start: () => null });
  return () => {
    const subject = insight.currentOperation()?.subject ?? null;
    return hasContext(subject) ? metadataOf(subject) : noMetadata;
  };
};

const hasContext = (subject: object | null): subject is { readonly context: Context } =>
  subject !== null && "context" in subject && subject.context instanceof Context;
