import { FrameworkError, type Injections, type Invocation, type Logger } from "@framework/core";
import { type ConfigInput, type Host, type ImpliedReply, systemClock } from "@framework/core/feature";
import type { Kernel } from "@framework/durable/feature";
import { callerOf } from "./caller/caller-of.ts";
import { commandPipeline } from "./commands/command-pipeline.ts";
import { Commands } from "./commands/commands.ts";
import { CqrsConfig } from "./cqrs-config.ts";
import type { AnyOperation } from "./definitions/operation.ts";
import { HandlerRegistry } from "./handlers/handler-registry.ts";
import type { AnyHandler } from "./handlers/handler-types.ts";
import { addCommandRoute, commandReplies } from "./http/command-route.ts";
import { addQueryRoute, queryReplies } from "./http/query-route.ts";
import { KEY_TABLES, keyTables } from "./idempotency/key-tables.ts";
import { StoredResults } from "./idempotency/stored-results.ts";
import { KeySweep } from "./idempotency/sweep.ts";
import { callOperations } from "./insight/observe-calls.ts";
import { FailureObservers } from "./insight/observers.ts";
import { OperationCounts } from "./insight/operation-counts.ts";
import { QueryCalls } from "./queries/queries.ts";
import { SharedRuns } from "./queries/shared-runs.ts";

/** What `enableCqrs` builds. */
interface Running {
  readonly commands: Commands;
  readonly queries: QueryCalls;
}

/** Commands and queries of one app. Handlers may be added before and after `enableCqrs`. */
export class CqrsApp {
  readonly registry: HandlerRegistry = new HandlerRegistry();
  readonly observers: FailureObservers;
  private readonly host: Host<unknown>;
  private readonly kernel: Kernel;
  private readonly log = (): Logger => this.host.life.settings.log;
  /** Replies of endpoints, by method and path. */
  private readonly replies = new Map<string, readonly ImpliedReply[]>();
  private config: Readonly<CqrsConfig> | null = null;
  private built: Running | null = null;

  constructor(host: Host<unknown>, kernel: Kernel) {
    this.host = host;
    this.kernel = kernel;
    this.observers = new FailureObservers((error) =>
      this.log().error("cqrs: an observer of onError failed", { error }),
    );
    host.check(() => this.findProblems());
    host.http.impliesReplies(({ method, path }) => this.replies.get(`${method} ${path}`) ?? []);
  }

  enable(input: ConfigInput<CqrsConfig> | undefined): void {
    const config = this.host.configure(CqrsConfig, input);
    this.config = config;
    this.kernel.use("cqrs").tables(KEY_TABLES, keyTables);
    this.built = this.build(config);
  }

  add(operation: AnyOperation, handler: AnyHandler, inject: Injections | undefined): void {
    const problems = this.registry.add(operation, handler, inject);
    for (const problem of problems) this.host.problem(problem);
    if (problems.length > 0) return;
    this.host.state.inject(`${operation.kind} ${operation.name}`, inject ?? {});
    this.addRoute(operation);
  }

  /** @throws CQRS_NOT_ENABLED; CORE_NOT_STARTED before the app's start */
  get running(): Running {
    if (this.built === null) throw new FrameworkError("CQRS_NOT_ENABLED", NOT_ENABLED);
    void this.host.life.settings;
    return this.built;
  }

  private addRoute(operation: AnyOperation): void {
    const { http, kind } = operation;
    if (http === null) return;
    const method = kind === "command" ? (operation.http?.method ?? "POST") : "GET";
    if (kind === "command") addCommandRoute(this.host.http, operation, http, () => this.running.commands);
    else addQueryRoute(this.host.http, operation, http, () => this.running.queries);
    const replies = kind === "command" ? commandReplies(operation, http) : queryReplies;
    this.replies.set(`${method} ${http.path}`, replies);
  }

  private findProblems(): readonly { readonly code: string; readonly message: string }[] {
    if (this.config !== null) return this.registry.missing(this.config.operations);
    return this.registry.all.length === 0 ? [] : [{ code: "CQRS_NOT_ENABLED", message: NOT_ENABLED }];
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
    const shared = { counts, observers, log };
    const runs = new SharedRuns(clock, () => void counts.shared++);
    const pipeline = commandPipeline({
      kernel,
      results,
      state,
      insight: { ...shared, operations: callOperations(insight, "command") },
      callerOf: ({ call }) => caller(call.invocation),
      log,
      clock,
      random: Math.random,
      maxRetries,
      committed: () => runs.close(),
    });
    return {
      commands: new Commands({ registry, pipeline, clock, timeoutMs: config.commandTimeoutMs, tenantOf }),
      queries: new QueryCalls({
        kernel,
        registry,
        state,
        insight: { ...shared, operations: callOperations(insight, "query") },
        runs,
        clock,
        timeoutMs: config.queryTimeoutMs,
        callerOf: caller,
        tenantOf,
        log,
      }),
    };
  }
}

const NOT_ENABLED = "commands and queries need enableCqrs()";
