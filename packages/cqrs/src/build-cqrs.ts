import type { Invocation, Logger } from "@framework/core";
import { type Host, systemClock } from "@framework/core/feature";
import type { Kernel } from "@framework/durable/feature";
import type { EventStore } from "@framework/event-sourcing";
import { callerOf } from "./caller/caller-of.ts";
import { requireString } from "./caller/require-string.ts";
import { commandPipeline, type CommandPipelineParts } from "./commands/command-pipeline.ts";
import { Commands } from "./commands/commands.ts";
import type { CqrsConfig } from "./cqrs-config.ts";
import type { HandlerRegistry } from "./handlers/handler-registry.ts";
import { StoredResults } from "./idempotency/stored-results.ts";
import { KeySweep } from "./idempotency/sweep.ts";
import type { FailureObservers } from "./insight/observers.ts";
import { OperationCounts } from "./insight/operation-counts.ts";
import { callOperations } from "./pipeline/observe.ts";
import { Queries } from "./queries/queries.ts";
import { queryPipeline } from "./queries/query-pipeline.ts";
import { SharedRuns } from "./queries/shared-runs.ts";
import { CommandQueue } from "./queued/command-queue.ts";
import { enqueuePipeline } from "./queued/enqueue-pipeline.ts";
import { type CqrsRouteOptions, idempotentRoutes, type RuleOf } from "./routes/idempotent-routes.ts";
import { RequestTransactions } from "./routes/request-transactions.ts";
import { RouteClaims } from "./routes/route-claims.ts";
import { cachedQueries } from "./start-problems.ts";
import { Invalidations } from "./sync/invalidations.ts";

/** Dependencies of `buildCqrs`. */
export interface CqrsParts {
  readonly config: Readonly<CqrsConfig>;
  readonly host: Host<CqrsRouteOptions>;
  readonly kernel: Kernel;
  readonly registry: HandlerRegistry;
  readonly observers: FailureObservers;
  readonly ruleOf: RuleOf;
  /** Returns the event store; `null` if there is none. */
  readonly eventStore: () => EventStore | null;
  /** Drops cached replies by their tags. */
  readonly invalidate: (tags: readonly string[]) => Promise<unknown>;
  /** Returns the queue, which is opened once the app is enabled and has a handler of a queued command. */
  readonly commandQueue: () => CommandQueue;
  readonly log: () => Logger;
}

/** The pipelines of commands and queries. */
export interface CqrsPipelines {
  readonly commands: Commands;
  readonly queries: Queries;
  readonly openQueue: () => CommandQueue;
}

/** Builds the pipelines of commands and queries, and adds their middleware, tasks and metrics to the app. */
export const buildCqrs = (parts: CqrsParts): CqrsPipelines => {
  const { config, host, kernel, registry, observers, eventStore, log } = parts;
  const { clock = systemClock } = config;
  const tenantOf = (invocation: Invocation): string =>
    requireString("tenantOf of CqrsConfig", config.tenantOf?.(invocation) ?? "");
  const caller = callerBy(config.callerOf);
  const counts = new OperationCounts();
  counts.publish(host.insight);
  const runs = new SharedRuns(clock, () => void counts.shared++);
  const results = storeResults(parts);
  makeRoutesIdempotent(parts, results, { callerOf: caller, tenantOf });
  const invalidations = followEvents(parts);
  const insightOf = (kind: "command" | "query") => ({
    counts,
    observers,
    log,
    operations: callOperations(host.insight, kind),
  });
  const commandParts: CommandPipelineParts = {
    kernel,
    results,
    state: host.state,
    eventStore,
    insight: insightOf("command"),
    callerOf: ({ call }) => caller(call.invocation),
    dropCached: (types) => invalidations.dropForEvents(types),
    log,
    clock,
    random: Math.random,
    maxRetries: config.maxRetries,
    onCommit: () => runs.close(),
  };
  const pipeline = commandPipeline(commandParts);
  const sources = { registry, clock, tenantOf };
  const commands = new Commands({
    ...sources,
    pipeline,
    enqueue: enqueuePipeline(commandParts, parts.commandQueue),
    timeoutMs: config.commandTimeoutMs,
    hasTokens: config.enableEventSync,
  });
  const queryHandler = queryPipeline({
    kernel,
    state: host.state,
    insight: insightOf("query"),
    runs,
    callerOf: config.callerOf === undefined ? () => "" : caller, // the visible caller contains all that the default names
    eventStore: config.enableEventSync ? eventStore : () => null,
    log,
  });
  const queries = new Queries({ ...sources, pipeline: queryHandler, timeoutMs: config.queryTimeoutMs });
  const { callOf } = commands;
  const { keepKeysSecs: keepSecs } = config;
  const openQueue = (): CommandQueue =>
    new CommandQueue({ kernel, registry, pipeline, callOf, callerOf: caller, keepSecs });
  return { commands, queries, openQueue };
};

const callerBy = (named: CqrsConfig["callerOf"]): ((invocation: Invocation) => string) =>
  named === undefined ? callerOf : (invocation) => requireString("callerOf of CqrsConfig", named(invocation));

/** Creates the store of results of idempotency keys, and removes expired ones while the app runs. */
const storeResults = ({ config, host, kernel, log }: CqrsParts): StoredResults => {
  const { clock = systemClock } = config;
  const sweep = new KeySweep(kernel, clock, (error) => log().warn("cqrs: expired keys remain", { error }));
  host.life.onListening({ name: "cqrs", run: () => sweep.begin() });
  host.life.onDrain(() => sweep.end());
  return new StoredResults(kernel, { keepMs: config.keepKeysSecs * 1000, maxBytes: config.maxStoredBytes });
};

/** Adds the middleware of routes with the option `idempotency`, or with `RequestTransaction`. */
const makeRoutesIdempotent = (
  { config, host, kernel, ruleOf, log }: CqrsParts,
  results: StoredResults,
  scope: Readonly<Record<"callerOf" | "tenantOf", (invocation: Invocation) => string>>,
): void => {
  const claims = new RouteClaims(kernel, results, config.keepKeysSecs * 1000);
  const maxBytes = config.maxStoredBytes;
  const transactions = new RequestTransactions({ kernel, results, maxBytes });
  host.http.use("cache", idempotentRoutes({ ruleOf, claims, transactions, maxBytes, ...scope, log }));
};

/** Drops cached replies on events while the app runs, unless `enableEventSync` is `false`. */
const followEvents = ({ config, host, registry, invalidate, eventStore, log }: CqrsParts): Invalidations => {
  const invalidations = new Invalidations({
    queries: () => cachedQueries(registry),
    invalidate,
    eventStore,
    clock: config.clock ?? systemClock,
    log,
  });
  if (config.enableEventSync) {
    host.life.onListening({ name: "cqrs", run: () => invalidations.begin() });
    host.life.onDrain(() => invalidations.end());
  }
  return invalidations;
};
