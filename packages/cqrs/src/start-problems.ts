import type { Problem } from "@framework/core";
import type { Kernel } from "@framework/durable/feature";
import type { EventStore } from "@framework/event-sourcing";
import type { CqrsConfig } from "./cqrs-config.ts";
import type { AnyQuery } from "./definitions/query.ts";
import { NO_STORE } from "./events/no-event-store.ts";
import { needsEventStore } from "./handlers/decide-with.ts";
import type { HandlerRegistry } from "./handlers/handler-registry.ts";

/** Dependencies of `startProblems`. */
export interface StartParts {
  /** Configuration; `null` if `enableCqrs` was not called. */
  readonly config: Readonly<CqrsConfig> | null;
  readonly registry: HandlerRegistry;
  readonly kernel: Kernel;
  readonly eventStore: EventStore | null;
  /** Whether the app is composed with a cache, before this feature. */
  readonly hasCache: boolean;
  /** Names of the `enableX` methods that were called. */
  readonly enabled: readonly string[];
}

/** Returns the problems of an app, once all handlers are registered. */
export const startProblems = (parts: StartParts): readonly Problem[] => {
  const { config, registry } = parts;
  if (config === null) return registry.all.length === 0 ? [] : [problem("CQRS_NOT_ENABLED", NOT_ENABLED)];
  return [
    ...registry.missingHandlers(config.operations),
    ...storeProblems(parts),
    ...cacheProblems(parts),
    ...orderProblems(parts),
  ];
};

/** Returns the queries with cached replies, except those whose `cache` is malformed, which is a problem of its own. */
export const cachedQueries = (registry: HandlerRegistry): readonly AnyQuery[] =>
  registry.all.flatMap(({ operation }) =>
    operation.kind === "query" && Array.isArray(operation.cache?.invalidatedBy) ? [operation] : [],
  );

const storeProblems = ({ registry, kernel, eventStore }: StartParts): readonly Problem[] => {
  if (eventStore !== null)
    return usesOtherDatabase(eventStore, kernel) ? [problem("CQRS_OTHER_DATABASE", OTHER_DATABASE)] : [];
  return registry.all
    .filter(({ handler }) => needsEventStore(handler))
    .map(({ operation }) =>
      problem("CQRS_NO_EVENT_STORE", `command ${operation.name} has a decider; ${NO_STORE}`),
    );
};

const cacheProblems = ({ registry, eventStore, hasCache }: StartParts): readonly Problem[] =>
  cachedQueries(registry).flatMap(({ name, cache }) => [
    ...(hasCache ? [] : [problem("CQRS_NO_CACHE", `query ${name} has cache; ${addCache}`)]),
    ...(cache?.invalidatedBy.length === 0 || eventStore !== null
      ? []
      : [problem("CQRS_NO_EVENT_STORE", `query ${name} has cache.invalidatedBy; ${NO_STORE}`)]),
  ]);

/** A cache composed after this feature would store the replies of all queries. */
const orderProblems = ({ registry, hasCache, enabled }: StartParts): readonly Problem[] => {
  if (hasCache || !enabled.includes("enableCaching")) return [];
  return registry.all
    .filter(
      ({ operation }) => operation.kind === "query" && operation.cache === null && operation.http !== null,
    )
    .map(({ operation: { name } }) =>
      problem(
        "CQRS_NO_CACHE",
        `query ${name} has an endpoint whose replies the cache would store; ${BEFORE}`,
      ),
    );
};

/** Whether the event store uses another database, so no transaction can include both. */
const usesOtherDatabase = (store: EventStore, kernel: Kernel): boolean => {
  try {
    return store.db !== kernel.db;
  } catch {
    return false; // no database: reported separately
  }
};

const problem = (code: string, message: string): Problem => ({ code, message });

const OTHER_DATABASE =
  "the event store has a separate database, which the transaction of a command cannot include; omit `connectionUrl` of enableEventSourcing";
const BEFORE = "name the feature caching before cqrs in App.with";
const addCache = `${BEFORE}, and call enableCaching()`;

/** Message for an app that uses commands or queries without `enableCqrs`. */
export const NOT_ENABLED = "commands and queries need enableCqrs()";
