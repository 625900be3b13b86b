import { FrameworkError, type Injections, type Logger } from "@framework/core";
import type { ConfigInput, Host } from "@framework/core/feature";
import type { Kernel } from "@framework/durable/feature";
import type { EventStore } from "@framework/event-sourcing";
import { buildCqrs, type CqrsPipelines } from "./build-cqrs.ts";
import { CqrsConfig } from "./cqrs-config.ts";
import type { AnyOperation } from "./definitions/operation.ts";
import { eventStoreOf, type OtherFeatures } from "./events/event-store-of.ts";
import { HandlerRegistry } from "./handlers/handler-registry.ts";
import type { AnyHandler, HandleOptions } from "./handlers/handler-types.ts";
import { Endpoints } from "./http/endpoints.ts";
import { keyReplies, unknownOutcome } from "./http/key-replies.ts";
import { keyFields } from "./http/used-fields.ts";
import { KEY_TABLES, keyTables } from "./idempotency/key-tables.ts";
import { FailureObservers } from "./insight/observers.ts";
import type { CommandQueue } from "./queued/command-queue.ts";
import { addStatusRoute } from "./queued/status-route.ts";
import {
  type CqrsRouteOptions,
  idempotencyProblem,
  type RuleOf,
  ruleOf,
} from "./routes/idempotent-routes.ts";
import { usesTransaction } from "./routes/request-transaction.ts";
import { NOT_ENABLED, startProblems } from "./start-problems.ts";

/** Commands and queries of one app. Handlers may be added before and after `enableCqrs`. */
export class CqrsApp {
  readonly registry: HandlerRegistry = new HandlerRegistry();
  readonly observers: FailureObservers;
  private readonly host: Host<CqrsRouteOptions>;
  private readonly kernel: Kernel;
  private readonly needs: OtherFeatures;
  private readonly ruleOf: RuleOf;
  private readonly endpoints: Endpoints;
  private readonly eventStore = (): EventStore | null => eventStoreOf(this.needs);
  private readonly log = (): Logger => this.host.life.settings.log;
  private config: Readonly<CqrsConfig> | null = null;
  private built: CqrsPipelines | null = null;
  private queue: CommandQueue | null = null;

  /** @param needs the methods of all earlier features */
  constructor(host: Host<CqrsRouteOptions>, kernel: Kernel, needs: OtherFeatures) {
    this.host = host;
    this.kernel = kernel;
    this.needs = needs;
    this.observers = new FailureObservers((error) =>
      this.log().error("cqrs: an observer of onError failed", { error }),
    );
    const hasCache = (): boolean => needs.invalidateCache !== undefined;
    this.endpoints = new Endpoints({
      http: host.http,
      commands: () => this.running.commands,
      queries: () => this.running.queries,
      statusPath: () => this.config?.statusPath ?? "",
      hasCache,
      hasTokens: () => this.config?.enableEventSync === true && this.eventStore() !== null,
    });
    host.check(() => {
      const { config, registry, eventStore } = this;
      const enabled = host.life.enabledFeatures();
      return startProblems({
        config,
        registry,
        kernel,
        eventStore: eventStore(),
        hasCache: hasCache(),
        enabled,
      });
    });
    this.ruleOf = ruleOf(host.http.routeOption("idempotency", idempotencyProblem));
    host.http.impliesReplies((route) => [
      ...this.endpoints.repliesOf(route),
      ...keyReplies(this.ruleOf(route)),
      ...(usesTransaction(route.options) ? [unknownOutcome] : []),
    ]);
    host.http.usesFields((route) => [...this.endpoints.fieldsOf(route), ...keyFields(this.ruleOf(route))]);
  }

  enable(input: ConfigInput<CqrsConfig> | undefined): void {
    const { host, kernel, needs, registry, observers, ruleOf, eventStore, log } = this;
    const config = host.configure(CqrsConfig, input);
    this.config = config;
    kernel.use("cqrs").tables(KEY_TABLES, keyTables);
    this.built = buildCqrs({
      config,
      host,
      kernel,
      registry,
      observers,
      ruleOf,
      eventStore,
      invalidate: async (tags) => await needs.invalidateCache?.(tags),
      commandQueue: () => this.commandQueue,
      log,
    });
    this.openQueue();
  }

  add(operation: AnyOperation, handler: AnyHandler, options: HandleOptions<Injections | undefined>): void {
    const { inject, use = [] } = options;
    const problems = this.registry.add(operation, handler, options);
    for (const problem of problems) this.host.problem(problem);
    if (problems.length > 0) return;
    this.host.state.inject(`${operation.kind} ${operation.name}`, inject ?? {});
    this.endpoints.add(operation, use);
    this.openQueue();
  }

  /** The queue. @throws CQRS_NOT_QUEUED if no command with a handler has `mode: "queued"` */
  get commandQueue(): CommandQueue {
    if (this.queue !== null) return this.queue;
    throw new FrameworkError("CQRS_NOT_QUEUED", 'cqrs: no command of this app has mode: "queued"');
  }

  /** The pipelines. @throws CQRS_NOT_ENABLED; CORE_NOT_STARTED before the app's start */
  get running(): CqrsPipelines {
    if (this.built === null) throw new FrameworkError("CQRS_NOT_ENABLED", NOT_ENABLED);
    void this.host.life.settings;
    return this.built;
  }

  /** Opens the queue once the app has a handler of a queued command. Without one, its processes do not poll for work. */
  private openQueue(): void {
    const { built, config, registry } = this;
    if (built === null || config === null || this.queue !== null) return;
    const isQueued = registry.all.some(
      ({ operation }) => operation.kind === "command" && operation.mode === "queued",
    );
    if (!isQueued) return;
    this.queue = built.openQueue();
    const { host, needs, log } = this;
    const hasCache = needs.invalidateCache !== undefined;
    addStatusRoute({
      http: host.http,
      path: config.statusPath,
      queue: () => this.commandQueue,
      hasCache,
      log,
    });
  }
}
