import type { Context, Link } from "@opentelemetry/api";
import type { TracedOperation } from "@framework/core/feature";
import { fieldGetter, type FieldSource } from "../propagation/carriers.ts";
import { spanOf, type Tracing } from "../tracing/tracing.ts";

/** Kinds whose parent comes from their headers, not from the code that received them. */
const carriedKinds: ReadonlySet<string> = new Set(["message", "work"]);

/** Attribute of a saga's attempt: `traceparent` of the work that started the saga. */
export const STARTED_BY = "saga.started_by";

/** Parent context of an operation's span, and its links. */
export interface OperationParent {
  readonly context: Context;
  readonly links: Link[];
}

/**
 * Returns the parent of an operation: the active span, or the remote span in its headers.
 *
 * An attempt of a saga continues the trace that started the saga; within another trace it has a link to that trace.
 */
export const parentOf = (tracing: Tracing, operation: TracedOperation): OperationParent => {
  const active = tracing.contexts.active();
  const activeSpan = spanOf(active);
  const headers = activeSpan === null || carriedKinds.has(operation.kind) ? carriedBy(operation) : null;
  const startedBy = operation.attributes[STARTED_BY];
  const source = headers ?? (typeof startedBy === "string" ? singleField("traceparent", startedBy) : null);
  if (source === null) return { context: active, links: [] };
  const context = tracing.propagator.extract(active, source, fieldGetter);
  if (headers !== null || activeSpan === null) return { context, links: [] };
  const cause = spanOf(context);
  const isSame = cause === null || cause.traceId === activeSpan.traceId;
  return { context: active, links: isSame ? [] : [{ context: cause }] };
};

/** Returns the headers of the object that an operation received; `null` for local work. */
const carriedBy = ({ role, subject, parent }: TracedOperation): FieldSource | null => {
  if ((role !== "consumer" && role !== "server") || subject === null || subject === parent?.subject)
    return null;
  const { headers } = subject as { readonly headers?: unknown };
  if (typeof headers !== "object" || headers === null) return null;
  if ("get" in headers && typeof headers.get === "function") return headers as FieldSource;
  return {
    get(name) {
      const value: unknown = Object.hasOwn(headers, name) ? (headers as Record<string, unknown>)[name] : null;
      return typeof value === "string" ? value : null;
    },
  };
};

const singleField = (field: string, value: string): FieldSource => ({
  get: (name) => (name === field ? value : null),
});
