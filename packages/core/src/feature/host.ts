// More than 250 lines, because it is the whole interface between the app and features, in five groups of one-line members.
import type { ConfigInput, ConfigRecord } from "../config/config-record.ts";
import type { OpenScope } from "../dependencies/invocation-scope.ts";
import type { InjectedValues, Injections, Provider, Token } from "../dependencies/token.ts";
import type { Problem } from "../errors/configuration-error.ts";
import type { ConnectionProtocol } from "../exchange/transport.ts";
import type { AuthDescription } from "../insight/auth-description.ts";
import type { CurrentTrace, ReadTrace } from "../insight/current-trace.ts";
import type { HealthCheck } from "../insight/health-check.ts";
import type { Histogram, HistogramOptions, HistogramRecorder } from "../insight/histogram.ts";
import type { Metric } from "../insight/metric.ts";
import type { Panel } from "../insight/panel.ts";
import type { OperationListener } from "../insight/operation-listener.ts";
import type { OutgoingCallObserver } from "../insight/outgoing-calls.ts";
import type { DecisionReasons, StepInfo } from "../insight/request-steps.ts";
import type { Operations } from "../insight/operations.ts";
import type { OperationDefinition, TracedOperation } from "../insight/traced-operation.ts";
import type { AppSettings } from "../lifecycle/app-settings.ts";
import type { DrainListener } from "../lifecycle/drain-listeners.ts";
import type { FeatureListener, ListenerOptions } from "../lifecycle/listener.ts";
import type { Task } from "../lifecycle/tasks.ts";
import type { Awaitable, Middleware } from "../middleware/middleware.ts";
import type { Invocation } from "../invocation/invocation.ts";
import type { HttpRequest } from "../request/http-request.ts";
import type { Response } from "../response/response.ts";
import type { ExemptOption } from "../routes/exemption.ts";
import type { FieldUse } from "../insight/field-use.ts";
import type { ImpliedReply } from "../insight/implied-reply.ts";
import type { FieldUses, ImpliedReplies } from "../routes/implied-replies.ts";
import type { OptionCheck, RouteOption } from "../routes/route-option.ts";
import type { ProgramRouteOption } from "../routes/program-route.ts";
import type { Method, RouteInfo, RouteOptions } from "../routes/route.ts";
import type { SharedState, SharedStateFactories } from "../shared-state/shared-state.ts";
import type { FindAdvice } from "./deployment.ts";
import type { EntryPoint, EntryProtection, EntryStage, ProtectEntryPoint } from "./entry-point.ts";
import type { Stage } from "./stages.ts";

/**
 * The whole API of an app for one feature. Each feature gets its own object with exactly these members.
 *
 * Members that register something throw CORE_ALREADY_STARTED after start and return their group, so calls chain, unless documented otherwise.
 */
export interface Host<Options = unknown> {
  /** Requests: middleware, routes, options of routes. */
  readonly http: HostHttp<Options>;
  /** The app's lifecycle: work at start, drain and stop, and the settings. */
  readonly life: HostLife;
  /** Observability: metrics, health checks, snapshots. */
  readonly insight: HostInsight;
  /** State that outlives one request: dependencies, and state shared by all workers. */
  readonly state: HostState;
  /** Entry points other than HTTP, and their protection. */
  readonly entries: HostEntries;
  /** Returns a feature's configuration, frozen, with defaults filled in. Mistakes are reported at start, together with all others. */
  configure<T extends object>(record: ConfigRecord<T>, input?: ConfigInput<T>): Readonly<T>;
  /** Reports a mistake; start fails with all of them. */
  problem(problem: Problem): void;
  /** Adds a check that runs at start, when everything is registered, and returns the mistakes that it found; start fails with all of them. */
  check(findProblems: (settings: AppSettings) => readonly Problem[]): void;
  /** Reports a warning for operators, printed at start. */
  warn(problem: Problem): void;
  /**
   * Adds advice for a deployment, such as a warning that state is in the memory of one of several hosts. `run --check` and `framework doctor` report it; a start
   * does not.
   */
  advise(find: FindAdvice): void;
}

/** The group `host.http`: middleware, routes and their options. */
export interface HostHttp<Options = unknown> {
  /** Adds middleware at a stage; within a stage, middleware runs in the order added. */
  use(stage: Stage, middleware: Middleware<HttpRequest, Response>): this;
  /**
   * Adds a route; the handler's return value becomes the reply. `exempt` lists exemptions, such as from the app's guards. Reply caches skip the routes of
   * features, and the API document does not list them; with `isProgramRoute` the route counts as the program's own. While the app replays a blueprint's call of a
   * `RouteFeature` method, the route belongs to the blueprint.
   */
  route(
    method: Method,
    path: string,
    handler: (request: HttpRequest) => unknown,
    options?: RouteOptions & ExemptOption & ProgramRouteOption,
  ): this;
  /** Returns all routes of the app; complete from the first start task on. */
  routes(): readonly RouteInfo[];
  /**
   * Declares the replies that the feature can give for a route, for the API document: `replies` is called for each route and returns its replies.
   * Call it in `enableX`, so that a disabled feature implies nothing.
   */
  impliesReplies(replies: ImpliedReplies): this;
  /** Returns the replies that core and the features imply for a route, one for each status and cause; complete from the first start task on. */
  impliedReplies(route: RouteInfo): readonly ImpliedReply[];
  /**
   * Declares the request fields that the feature reads on a route, and the reply fields that it sets: the API document lists
   * them, and CORS lets pages of other origins send and read them. `uses` is called for each route.
   */
  usesFields(uses: FieldUses): this;
  /** Returns the header fields that the features use on a route; complete from the first start task on. */
  usedFields(route: RouteInfo): readonly FieldUse[];
  /**
   * Declares how the feature identifies callers without rejecting unidentified ones, such as by a cookie, for the API document: it lists the schemes for routes
   * without an authentication whose guards read the caller (`readsCaller`). `describe` is called whenever routes are listed.
   */
  identifies(describe: () => AuthDescription): this;
  /**
   * Declares a route option that the feature owns, and returns its reader. Call it in `install`, so that start knows the name even while the feature is
   * disabled; every value except `false` is then a mistake. `check` runs at start for each route with the option.
   *
   * @throws CORE_OPTION_TAKEN when core or another feature has an option of that name
   */
  routeOption<Name extends keyof Options & string>(
    name: Name,
    check: OptionCheck<Exclude<Options[Name], undefined>>,
  ): RouteOption<Exclude<Options[Name], undefined>>;
  /**
   * Returns the app's reply to an error, as if a handler had thrown it: from the nearest exception handler, else the framework's body. For middleware that
   * rejects a request and sets header fields of the reply; other middleware can throw. The promise never rejects.
   *
   * @throws CORE_NOT_STARTED before the app has started
   */
  replyTo(error: Error, request: HttpRequest): Awaitable<Response>;
}

/**
 * The lifecycle of an app: prepare → listening → drain → stop.
 *
 * Tasks run in the order of the features in `App.with`, whatever the order of the `enableX` calls; tasks of one feature run in the order added. The program's own
 * `startup` handlers run after all features, its `shutdown` handlers before. A task is a function or `{ name, run, timeoutSecs }`, and gets the settings and a
 * signal that aborts when the app no longer waits for it.
 */
export interface HostLife {
  /** Prepare: runs before the app listens, in order. A failure ends the start, after the stop tasks of all features whose start had begun. */
  onStart(task: Task | Task["run"]): this;
  /**
   * Listening: runs when everything is up, in order. Consumers, schedulers and queue workers start here.
   *
   * Under `run` the port is open and the service is not announced yet; with `start` and `fetch` it follows the startup handlers. A failure is a start
   * error: the app drains and stops.
   */
  onListening(task: Task | Task["run"]): this;
  /**
   * Drain: called when the service begins to drain, while it still accepts connections. Readiness turns 503 and consumers stop here.
   *
   * All listeners run concurrently, alongside the requests in flight. Stop tasks wait for them until the drain's deadline, when `deadline` aborts. A listener
   * that fails is logged. Not called for an app whose start failed in the prepare phase.
   */
  onDrain(listener: DrainListener, options?: DrainOptions): this;
  /** Stop: runs after the last reply and the last drain listener, in reverse order; every task runs, even if others fail. Pools close here. */
  onStop(task: Task | Task["run"]): this;
  /**
   * Opens a separate port for the feature under `run`: raw sockets with `accept`, HTTP with `serve`. It opens with the port of the service, before the
   * listening phase, and is drained and closed with it. With several workers the primary binds it, and each socket is served by one worker.
   *
   * An invalid name, host, port or environment fails the start (CORE_BAD_LISTENER), as does a port in use (CORE_PORT_IN_USE). Bounded by `limits.maxConnections`.
   */
  listener(options: ListenerOptions): FeatureListener;
  /**
   * Serves a protocol in addition to HTTP/1.1 under `run`, on the port of the service and on HTTP ports of features. Its requests reach the app like
   * all others, and its connections have the same limits, drain and deadline. An app has one additional protocol; a later call replaces it.
   */
  protocol(protocol: ConnectionProtocol): this;
  /**
   * Aborts when the service stops accepting connections, after `readinessDelaySecs` of the drain. The whole app shares this signal, also as `request.draining`,
   * so remove your listeners. Its reason is an `HttpError` 503.
   */
  readonly draining: AbortSignal;
  /** Installs an object that takes part in the app's life, such as an authentication; once per app, however many features and routes use it. */
  install(part: { install?(host: Host): void }): this;
  /** Names of the `enableX` methods that were called; complete from the first start task on. */
  enabledFeatures(): readonly string[];
  /** The settings that the app runs with. @throws CORE_NOT_STARTED before the first start task */
  readonly settings: AppSettings;
}

/** Options of a drain listener. */
export interface DrainOptions {
  /** Whether the listener changes the result of probes: production then waits 2 s between the listeners and the end of listening. @default false */
  readonly probed?: boolean;
}

/** The group `host.insight`: operations, metrics, snapshots, panels and health. */
export interface HostInsight {
  /**
   * Lists a page of the feature, such as `docs`, in the start message: a path of the service, or a URL. A function is called when the app listens; `null` lists
   * nothing.
   */
  link(name: string, path: string | (() => string | null)): this;
  /** Publishes the feature's current state, for pages and reports that read it on demand. May be called at any time. */
  expose(name: string, snapshot: () => unknown): this;
  /** Returns the snapshots that features publish with `expose`, by name; a snapshot that throws is replaced by `{ error: message }`. */
  snapshots(): Readonly<Record<string, unknown>>;
  /** Publishes a panel: a table with actions for developers, which the dev page shows. May be called at any time; a later panel of that name replaces it. */
  panel(panel: Panel): this;
  /** Returns every published panel. */
  panels(): readonly Panel[];
  /** Publishes a metric, read on demand. */
  metric(metric: Metric): this;
  /**
   * Publishes a histogram and returns its recorder. While no feature records observations, each costs one check.
   *
   * Its name, labels and buckets are checked at start: CORE_BAD_METRIC.
   */
  histogram<const Label extends string = never>(options: HistogramOptions<Label>): Histogram<Label>;
  /** Records the observations of every histogram, including histograms published later. */
  recordHistograms(recorder: HistogramRecorder): this;
  /** Returns every metric published with `metric`; complete from the first start task on. */
  metrics(): readonly Metric[];
  /**
   * Returns the publisher of operations of one kind, which metrics and traces observe. It costs one check without listeners.
   *
   * The kind is checked at start: CORE_BAD_OPERATION_KIND.
   */
  operation<In, Out = unknown>(definition: OperationDefinition<In, Out>): Operations<In, Out>;
  /** Listens for the operations of this app, including requests; may be called at any time. Returns a function that removes the listener. */
  onOperation<State>(listener: OperationListener<State>): () => void;
  /**
   * Publishes calls of `fetch` and undici as operations of the kind `http.client`, once each, however many features call this. May be called at any time. Returns
   * a function that ends it.
   *
   * A call belongs to the app of the current operation if that app publishes calls, otherwise to the app that last began to publish them.
   */
  publishOutgoingCalls(observer?: OutgoingCallObserver): () => void;
  /** Reasons of the feature's decisions about requests, for `framework explain`; without a listener a decision costs one check. */
  readonly reasons: DecisionReasons;
  /**
   * Lets a tool subscribe to the diagnostics channels `framework.request.steps` and `framework.request.answered` after the start, when debug is on. While
   * none does, each step of a request costs one check. Has no effect after start.
   */
  traceRequests(): this;
  /** Returns the compiled steps of a route, outermost first; complete from the first start task on. Empty without `traceRequests`, and without debug. */
  stepsOf(route: Pick<RouteInfo, "method" | "path">): readonly StepInfo[];
  /** Returns the current operation; `null` outside of one, and without listeners. */
  currentOperation(): TracedOperation | null;
  /** Makes a tracer's spans known to other features: logs, messages and stored work contain their ids. An app has one tracer; a later call replaces it. */
  provideTrace(read: ReadTrace): this;
  /** Returns the trace of the running code; `null` outside of one, and without a tracer. */
  currentTrace(): CurrentTrace | null;
  /** Adds a check that health reports run. */
  healthCheck(check: HealthCheck): this;
  /** Returns every added check; complete from the first start task on. */
  healthChecks(): readonly HealthCheck[];
}

/** The group `host.state`: dependencies and shared state. */
export interface HostState {
  /** Registers a dependency for handlers. */
  provide<T>(token: Token<T>, provider: Provider<NoInfer<T>>): this;
  /** Checks the injections of a feature's handler at start, as for a route: missing names, cycles, scopes. `place` labels it in messages: `message orders`. */
  inject(place: string, inject: Injections): this;
  /**
   * Runs one invocation in its own scope: resolves `inject`, calls `work` with the values, `Depends` enabled until its first `await`, and then
   * disposes of the created values; failures of `dispose` are logged. Synchronous if all of these are. Stop waits for running invocations.
   *
   * @throws CORE_BAD_INVOCATION for a request, whose own scope is `request.scope`; CORE_TOO_MANY_INVOCATIONS when 100,000 are open
   */
  invoke<I extends Injections | undefined, T>(
    invocation: Invocation,
    inject: I,
    work: (dependencies: InjectedValues<I>) => Awaitable<T>,
  ): Awaitable<T>;
  /** Creates a scope for an invocation of several calls, such as a stream; the feature disposes of it. @throws as `invoke` */
  scope(invocation: Invocation): OpenScope;
  /**
   * Replaces one or more ports of `shared`, for every feature. Two features that provide the same port fail the start.
   *
   * `close` frees the ports' resources. It runs after the stop tasks of all features, since each may use the ports until then.
   */
  provideShared(factories: SharedStateFactories, close?: Task | Task["run"]): this;
  /** State shared by all workers: values, permits and totals. @throws CORE_NOT_STARTED before the first start task */
  readonly shared: SharedState;
}

/** The group `host.entries`: entry points other than HTTP routes get the protection of routes. */
export interface HostEntries {
  /** Protects the calls of every entry point that requests `protection`, for example with the rate limit of requests. */
  protect(stage: EntryStage, protect: ProtectEntryPoint): this;
  /** Returns the app's protection for an entry point: its limits, guards and breakers, which the feature of the entry point runs. Call it in a start task. */
  protection(entry: EntryPoint): EntryProtection;
}
