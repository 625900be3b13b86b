import { type Context, type Invocation, type Key, key, RequestId } from "@framework/core";
import { principalOf, Trace } from "@framework/core/feature";
import type { EventMetadata } from "../events/event-metadata.ts";

/** Identifies the business transaction that an invocation is part of. If it is `null`, event metadata has the id of the request. @default null */
export const CorrelationId: Key<string | null> = key<string | null>("correlation_id", null);

/** Id of the command or event that caused an invocation. */
export const CausationId: Key<string | null> = key<string | null>("causation_id", null);

/**
 * Returns the metadata for events that an invocation causes: correlation, causation, trace and caller, as far as known.
 *
 * @example
 * await store.append("loan-1", event, { metadata: metadataOf(request) }); // outside a request of an app, as in a test or a custom transport
 */
export const metadataOf = ({ context }: Pick<Invocation, "context">): EventMetadata => {
  const metadata: Record<string, string> = {};
  const add = (name: keyof EventMetadata & string, value: string | null): void => {
    if (value !== null) metadata[name] = value;
  };
  add("correlationId", context.get(CorrelationId) ?? context.get(RequestId));
  add("causationId", context.get(CausationId));
  const trace = context.get(Trace);
  add("traceId", trace?.traceId ?? null);
  add("spanId", trace?.spanId ?? null);
  add("actor", actorOf(context));
  return metadata;
};

const actorOf = (context: Context): string | null => {
  const principal = principalOf({ context });
  if (principal === null) return null;
  const { user, claims, apiKeyName } = principal;
  if (typeof user === "string") return user;
  return claims?.sub ?? apiKeyName ?? null;
};
