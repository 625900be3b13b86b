import {
  FrameworkError,
  type HttpMiddleware,
  type Injections,
  type Invocation,
  type Logger,
} from "@framework/core";
import {
  type ConfigInput,
  type Host,
  type ImpliedReply,
  type RouteOption,
  systemClock,
} from "@framework/core/feature";
import type { Kernel } from "@framework/durable/feature";
import type { EventStore } from "@framework/event-sourcing";
import { callerOf } from "./caller/caller-of.ts";
import { commandPipeline, type CommandPipelineParts } from "./commands/command-pipeline.ts";
import { Commands } from "./commands/commands.ts";
import { CqrsConfig } from "./cqrs-config.ts";
import type { AnyOperation } from "./definitions/operation.ts";
import { cachedQueries, NOT_ENABLED, startProblems } from "./start-problems.ts";
import { HandlerRegistry } from "./handlers/handler-registry.ts";
import type { AnyHandler, HandleOptions } from "./handlers/handler-types.ts";
import { addCommandRoute, commandReplies } from "./http/command-route.ts";
import { keyReplies } from "./http/key-replies.ts";
import { addQueryRoute, queryReplies } from "./http/query-route.ts";
import { KEY_TABLES, keyTables } from "./idempotency/key-tables.ts";
import { StoredResults } from "./idempotency/stored-results.ts";
import { KeySweep } from "./idempotency/sweep.ts";
import { callOperations } from "./pipeline/observe.ts";
import { FailureObservers } from "./insight/observers.ts";
import { OperationCounts } from "./insight/operation-counts.ts";
import { Queries } from "./queries/queries.ts";
import { queryPipeline } from "./queries/query-pipeline.ts";
import { Invalidations } from "./sync/invalidations.ts";
import { SharedRuns } from "./queries/shared-runs.ts";
import { CommandQueue } from "./queued/command-queue.ts";
import { enqueuePipeline } from "./queued/enqueue-pipeline.ts";
import { addStatusRoute } from "./queued/status-route.ts";
import {
  type CqrsRouteOptions,
  idempotencyProblem,
  idempotentRoutes,
  type RouteIdempotency,
} from "./routes/idempotent-routes.ts";
import { RouteClaims } from "./routes/route-claims.ts";

/** Methods of features that are used where they are composed before this one. */
export interface OtherFeatures {
  /** Of `@framework/event-sourcing`. @throws EVENTS_NOT_ENABLED */
  readonly eventStore?: EventStore;
  /** Of `@framework/cache`. */
  invalidateCache?(tags: readonly string[]): Promise<number>;
}

/** What `enableCqrs` builds. */
interface Running {
  readonly commands: Commands;
  readonly queries: Queries;
  readonly openQueue: () => CommandQueue;
}

/** Commands and queries of one app. Handlers may be added before and after `enableCqrs`. */
export class CqrsApp {
  readonly registry: HandlerRegistry = new HandlerRegistry();
  readonly observers: FailureObservers;
  private readonly host: Host<CqrsRouteOptions>;
  private readonly kernel: Kernel;
  private readonly needs: OtherFeatures;
  private readonly eventStore = (): EventStore | null => eventStoreOf(this.needs);
  private readonly option: RouteOption<RouteIdempotency>;
  private readonly log = (): Logger => this.host.life.settings.log;
  /** Replies of endpoints, by method and path. */
  private readonly replies = new Map<string, readonly ImpliedReply[]>();
  private config: Readonly<CqrsConfig> | null = null;
  private built: Running | null = null;
  private queue: CommandQueue | null = null;

  /** @param needs the methods of all earlier features */
  constructor(host: Host<CqrsRouteOptions>, kernel: Kernel, needs: OtherFeatures) {
    this.host = host;
    this.kernel = kernel;
    this.needs = needs;
    this.observers = new FailureObservers((error) =>
      this.log().error("cqrs: an observer of onError failed", { error }),
    );
    host.check(() => {
      const { config, registry, eventStore } = this;
      const isCached = needs.invalidateCache !== undefined;
      return startProblems({ config, registry, kernel, eventStore: eventStore(), isCached });
    });
    this.option = host.http.routeOption("idempotency", idempotencyProblem);
    host.http.impliesReplies((route) => [
      ...(this.replies.get(`${route.method} ${route.path}`) ?? []),
      ...keyReplies(this.option.of(route)),
    ]);
  }

  enable(input: ConfigInput<CqrsConfig> | undefined): void {
    const config = this.host.configure(CqrsConfig, input);
    this.config = config;
    this.kernel.use("cqrs").tables(KEY_TABLES, keyTables);
    this.built = this.build(config);
    this.openQueue();
  }

  add(operation: AnyOperation, handler: AnyHandler, options: HandleOptions<Injections | undefined>): void {
    const { inject, use = [] } = options;
    const problems = this.registry.add(operation, handler, options);
    for (const problem of problems) this.host.problem(problem);
    if (problems.length > 0) return;
    this.host.state.inject(`${operation.kind} ${operation.name}`, inject ?? {});
    this.addRoute(operation, use);
    this.openQueue();
  }

  /** Opens the queue as soon as a command needs it: without one, no process looks for work. */
  private openQueue(): void {
    const { built, config, registry } = this;
    if (built === null || config === null || this.queue !== null) return;
    const isQueued = registry.all.some(
      ({ operation }) => operation.kind === "command" && operation.mode === "queued",
    );
    if (!isQueued) return;
    this.queue = built.openQueue();
    addStatusRoute(this.host.http, config.statusPath, () => this.commandQueue);
  }

  /** @throws CQRS_NOT_QUEUED when no command is queued */
  get commandQueue(): CommandQueue {
    if (this.queue !== null) return this.queue;
    throw new FrameworkError("CQRS_NOT_QUEUED", 'cqrs: no command of this app has mode: "queued"');
  }

  /** @throws CQRS_NOT_ENABLED; CORE_NOT_STARTED before the app's start */
  get running(): Running {
    if (this.built === null) throw new FrameworkError("CQRS_NOT_ENABLED", NOT_ENABLED);
    void this.host.life.settings;
    return this.built;
  }

  private addRoute(operation: AnyOperation, use: readonly HttpMiddleware[]): void {
    const { kind, http: endpoint } = operation;
    if (endpoint === null) return;
    const { http } = this.host;
    const used = { ...endpoint, use };
    const method = kind === "command" ? (operation.http?.method ?? "POST") : "GET";
    const statusPath = (): string => this.config?.statusPath ?? "";
    if (kind === "command") addCommandRoute(http, operation, used, () => this.running.commands, statusPath);
    else addQueryRoute(http, operation, used, () => this.running.queries);
    const replies = kind === "command" ? commandReplies(operation, endpoint) : queryReplies;
    this.replies.set(`${method} ${endpoint.path}`, replies);
  }

  private build(config: Readonly<CqrsConfig>): Running {
    const { host, kernel, registry, observers, log } = this;
    const { insight, state } = host;
    const { clock = systemClock, maxRetries } = config;
    const counts = new OperationCounts();
    counts.publish(insight);
    const results = new StoredResults(kernel, {
      keepMs: config.keepKeysSecs * 1000,
      maxBytes: config.maxStoredBytes,
    });
    const sweep = new KeySweep(kernel, clock, (error) => log().warn("cqrs: expired keys remain", { error }));
    host.life.onListening({ name: "cqrs", run: () => sweep.begin() });
    host.life.onDrain(() => sweep.end());
    const caller = config.callerOf ?? callerOf;
    const tenantOf = (invocation: Invocation): string => config.tenantOf?.(invocation) ?? "";
    host.http.use(
      "cache",
      idempotentRoutes({
        option: this.option,
        claims: new RouteClaims(kernel, results, config.keepKeysSecs * 1000),
        maxBytes: config.maxStoredBytes,
        callerOf: caller,
        tenantOf,
        log,
      }),
    );
    const shared = { counts, observers, log };
    const runs = new SharedRuns(clock, () => void counts.shared++);
    const invalidations = new Invalidations({
      queries: () => cachedQueries(registry),
      invalidate: async (tags) => await this.needs.invalidateCache?.(tags),
      eventStore: this.eventStore,
      log,
    });
    if (config.enableEventSync) {
      host.life.onListening({ name: "cqrs", run: () => invalidations.begin() });
      host.life.onDrain(() => invalidations.end());
    }
    const commandParts: CommandPipelineParts = {
      kernel,
      results,
      state,
      eventStore: this.eventStore,
      insight: { ...shared, operations: callOperations(insight, "command") },
      callerOf: ({ call }) => caller(call.invocation),
      dropCached: (types) => invalidations.committed(types),
      log,
      clock,
      random: Math.random,
      maxRetries,
      committed: () => runs.close(),
    };
    const pipeline = commandPipeline(commandParts);
    const queryInsight = { ...shared, operations: callOperations(insight, "query") };
    const queries = queryPipeline({
      kernel,
      state,
      insight: queryInsight,
      runs,
      callerOf: caller,
      eventStore: config.enableEventSync ? this.eventStore : () => null,
      log,
    });
    const sources = { registry, clock, tenantOf };
    const executed = new Commands({
      ...sources,
      pipeline,
      enqueue: enqueuePipeline(commandParts, () => this.commandQueue),
      timeoutMs: config.commandTimeoutMs,
      hasTokens: config.enableEventSync,
    });
    const openQueue = (): CommandQueue =>
      new CommandQueue({
        kernel,
        registry,
        pipeline,
        callOf: executed.callOf,
        callerOf: caller,
        keepSecs: config.keepKeysSecs,
      });
    const asked = new Queries({ ...sources, pipeline: queries, timeoutMs: config.queryTimeoutMs });
    return { commands: executed, queries: asked, openQueue };
  }
}

/** The event store of an app; `null` when the feature is not composed before this one, or not enabled. */
const eventStoreOf = (needs: OtherFeatures): EventStore | null => {
  try {
    return needs.eventStore ?? null;
  } catch (error) {
    if (FrameworkError.is(error) && error.code === "EVENTS_NOT_ENABLED") return null;
    throw error;
  }
};
