// More than 250 lines, because all registrations of a program and its features are kept, checked and closed in one place.
import type { ConfigInput, ConfigRecord } from "../config/config-record.ts";
import { Container } from "../dependencies/container.ts";
import type { InjectionPlace } from "../dependencies/dependency-graph.ts";
import type { Injections, Provider, Token } from "../dependencies/token.ts";
import type { Problem } from "../errors/configuration-error.ts";
import type { Reply } from "../exchange/reply.ts";
import { type ErrorClass, type ExceptionHandler, ExceptionHandlers } from "../pipeline/exception-handlers.ts";
import { FrameworkError } from "../errors/framework-error.ts";
import type { FindAdvice } from "../feature/deployment.ts";
import type { DrainOptions, Host } from "../feature/host.ts";
import type { EntryPoint, EntryProtection, EntryStage, ProtectEntryPoint } from "../feature/entry-point.ts";
import { httpMiddlewareObject } from "../feature/http-middleware.ts";
import type { Stage } from "../feature/stages.ts";
import type { DrainListener } from "../lifecycle/drain-listeners.ts";
import { Draining } from "../lifecycle/draining.ts";
import { Life, type TaskPhase } from "../lifecycle/life.ts";
import {
  type FeatureListener,
  type ListenerOptions,
  listenerProblem,
  type RegisteredListener,
} from "../lifecycle/listener.ts";
import { middlewareRank, SHARED_RANK } from "../lifecycle/ranks.ts";
import { coreReplies } from "./core-replies.ts";
import { guardsOfApp } from "../pipeline/guards-of-app.ts";
import {
  exceptionHandlerProblem,
  middlewareProblem,
  providerProblem,
  routeArgumentProblem,
  singletonProblem,
  tokenProblem,
} from "./argument-problems.ts";
import { endWithDrain } from "../pipeline/end-bodies.ts";
import { type AddedProtection, protectionOf } from "./entry-protection.ts";
import { createHost, type HostOwner } from "./create-host.ts";
import type { MiddlewareLabels } from "../pipeline/middleware-labels.ts";
import { FeatureOptions } from "./feature-options.ts";
import { InsightRegistry } from "./insight-registry.ts";
import { type Guard, isGuard } from "../guards/guard.ts";
import type { AppSettings } from "../lifecycle/app-settings.ts";
import { type Task, taskProblem, toTask } from "../lifecycle/tasks.ts";
import { type Awaitable, type Middleware, toMiddleware } from "../middleware/middleware.ts";
import type { ConnectionProtocol, ListenAddress } from "../exchange/transport.ts";
import type { HttpRequest } from "../request/http-request.ts";
import { compileTrustedProxies } from "../request/client-address.ts";
import type { Response } from "../response/response.ts";
import { registrationPlace } from "../routing/route-place.ts";
import type { ExemptOption } from "../routes/exemption.ts";
import { inGroup } from "../routes/route-methods.ts";
import type { RouteCall } from "../routes/route-call.ts";
import type { FieldUse } from "../insight/field-use.ts";
import type { ImpliedReply } from "../insight/implied-reply.ts";
import type { FieldUses, ImpliedReplies } from "../routes/implied-replies.ts";
import type { OptionCheck, RouteOption } from "../routes/route-option.ts";
import type { ProgramRouteOption } from "../routes/program-route.ts";
import type { RouteDefinition, RouteInfo, RouteOptions } from "../routes/route.ts";
import type { SharedState, SharedStateFactories } from "../shared-state/shared-state.ts";
import type { AuthDescription } from "../insight/auth-description.ts";
import { mergeSchemes } from "../insight/merge-schemes.ts";

/** All registrations of a program and its features, up to the start of the app. */
export abstract class Registry {
  readonly routeDefinitions: RouteDefinition[] = [];
  readonly container: Container = new Container();
  protected readonly guards: Guard<HttpRequest>[] = [];
  protected readonly exceptionHandlers: ExceptionHandlers = new ExceptionHandlers();
  protected readonly middleware: Map<Stage, Middleware<HttpRequest, Response>[]> = new Map();
  /** The feature and stage of each middleware function. */
  protected readonly labels: MiddlewareLabels = new WeakMap();
  readonly draining: Draining = new Draining();
  readonly listeners: RegisteredListener[] = [];
  /** The protocol in addition to HTTP/1.1, if a feature has added one. */
  connectionProtocol: ConnectionProtocol | undefined;
  protected readonly life: Life = new Life();
  /** Whether a health probe reports the drain. */
  protected isProbed = false;
  protected readonly problems: Problem[] = [];
  /** Checks of features that run at start. */
  protected readonly checks: ((settings: AppSettings) => readonly Problem[])[] = [];
  /** Injections of features outside routes. */
  protected readonly injections: InjectionPlace[] = [];
  protected readonly warnings: Problem[] = [];
  private readonly advisers: FindAdvice[] = [];
  /** The `enableX` methods of each feature, by its index in `App.with`. */
  private readonly enableMethods: Map<number, readonly string[]> = new Map();
  /** The feature of each called `enableX`. */
  protected readonly enabled: Map<string, string> = new Map();
  private readonly installed: Set<object> = new Set();

  protected readonly featureOptions: FeatureOptions = new FeatureOptions();
  /** One host for all middleware objects, so that an object can recognise a repeated installation. */
  private middlewareHost: Host | undefined;
  private readonly implied: ImpliedReplies[] = [];
  private readonly identities: (() => AuthDescription)[] = [];
  private readonly fieldUses: FieldUses[] = [];
  private readonly entryProtections: AddedProtection[] = [];
  private sharedFactories: SharedStateFactories = {};
  /** The blueprint's call that is being replayed; routes added during it belong to its group. */
  private call: RouteCall | null = null;

  /** The group `host.insight`. */
  readonly insight: InsightRegistry;

  constructor(app: object) {
    this.insight = new InsightRegistry(app, {
      assertOpen: (subject) => this.assertOpen(subject),
      problem: (problem) => void this.problem(problem),
      log: () => this.container.log,
    });
  }

  abstract readonly settings: AppSettings;
  /** Whether start has begun; registration is closed from then on. */
  protected abstract readonly isClosed: boolean;

  /** @param feature the feature that adds it; `null` for the program */
  use(stage: Stage, middleware: Middleware<HttpRequest, Response>, feature: string | null = null): this {
    this.assertOpen("middleware");
    const problem = middlewareProblem(middleware);
    if (problem !== null) return this.problem(problem);
    this.labels.set(middleware, { feature, stage });
    const present = this.middleware.get(stage);
    if (present === undefined) this.middleware.set(stage, [middleware]);
    else present.push(middleware);
    return this.installOnce(middleware);
  }

  route({ method, path, handler, options: allOptions = {}, addedBy }: FeatureRoute): this {
    const { exempt = [], isProgramRoute = false, use = [], ...options } = allOptions;
    const place = this.call?.place ?? registrationPlace();
    const tags = options.tags ?? [];
    const owner = isProgramRoute ? null : addedBy;
    const own = { method, path, handler, options, ownOptions: options, place, tags, addedBy: owner, exempt };
    const route = { ...own, guards: [], middleware: use.map(toMiddleware) };
    return this.addRoute(this.call === null ? route : inGroup(this.call, route));
  }

  /** Replays a blueprint's call; routes that a feature adds during it belong to the blueprint's group. */
  protected within(call: RouteCall, run: () => void): void {
    const before = this.call;
    this.call = call;
    try {
      run();
    } finally {
      this.call = before;
    }
  }

  addRoute(route: RouteDefinition): this {
    this.assertOpen(`the route ${route.method} ${route.path}`);
    const problem = routeArgumentProblem(route);
    if (problem !== null) return this.problem(problem);
    this.routeDefinitions.push(route);
    for (const middleware of route.middleware) this.installOnce(middleware);
    return this;
  }

  addGuard(guard: Guard<HttpRequest>): void {
    this.assertOpen("a guard");
    if (!isGuard(guard))
      this.problem({
        code: "CORE_BAD_GUARD",
        message: "addGuard takes a function or an object with check; a class needs new",
      });
    this.guards.push(guard);
  }

  protectEntries(stage: EntryStage, protect: ProtectEntryPoint): void {
    this.assertOpen("the protection of an entry point");
    this.entryProtections.push({ stage, protect });
  }

  entryProtection(entry: EntryPoint): EntryProtection {
    return protectionOf(entry, this.entryProtections, {
      guards: this.guards,
      trusted: compileTrustedProxies(this.settings.trustedProxies).proxies,
    });
  }

  addExceptionHandler<E extends Error>(errorClass: ErrorClass<E>, handler: ExceptionHandler<E>): void {
    this.assertOpen("an exception handler");
    const problem = exceptionHandlerProblem(errorClass, handler);
    this.reportIfAny(problem ?? this.exceptionHandlers.add(errorClass, handler));
  }

  addTask(phase: TaskPhase, task: Task | Task["run"], { name, rank }: HostOwner): this {
    this.assertOpen(partOf(name));
    const whole = toTask(task);
    this.problemIf("CORE_BAD_CONFIG", taskProblem(whole));
    this.life.add(phase, whole, rank);
    return this;
  }

  onDrain(listener: DrainListener, { name, rank }: HostOwner, { probed = false }: DrainOptions = {}): this {
    this.assertOpen(partOf(name));
    this.isProbed ||= probed;
    this.life.addDrainListener(listener, rank);
    return this;
  }

  listener(options: ListenerOptions, feature: string): FeatureListener {
    this.assertOpen(`the listener ${options.name}`);
    const mistake = listenerProblem(options, this.listeners);
    this.problemIf("CORE_BAD_LISTENER", mistake === null ? null : `${feature}: ${mistake}`);
    let address: ListenAddress | null = null;
    const setAddress = (at: ListenAddress): void => {
      address = at;
    };
    const prepareReply = (reply: Reply): Reply => {
      endWithDrain(reply, this.draining);
      return reply;
    };
    this.listeners.push({ options, feature, setAddress, prepareReply });
    return {
      get address() {
        return address;
      },
    };
  }

  serveProtocol(protocol: ConnectionProtocol): void {
    this.assertOpen(`the protocol ${protocol.alpn}`);
    this.connectionProtocol = protocol;
  }

  provide<T>(token: Token<T>, provider: Provider<T>): this {
    this.assertOpen("a dependency");
    const problem = tokenProblem("provide", token) ?? providerProblem(token.name, provider);
    if (problem !== null) return this.problem(problem);
    return this.reportIfAny(this.container.provide(token, provider));
  }

  inject(place: string, inject: Injections): this {
    this.assertOpen(`the injections of ${place}`);
    const within = this.call === null ? "" : ` in the blueprint ${this.call.prefix}`;
    this.injections.push({ place: place + within, inject });
    return this;
  }

  register(name: string | Token<unknown>, value: unknown): this {
    this.assertOpen("a singleton");
    const problem = singletonProblem(name, value);
    if (problem !== null) return this.problem(problem);
    return this.reportIfAny(this.container.register(name, value));
  }

  routeOption<Value>(name: string, check: OptionCheck<Value>, owner: HostOwner): RouteOption<Value> {
    this.assertOpen(`the option ${name}`);
    const readOwner = () => {
      const enableMethods = this.enableMethods.get(owner.rank) ?? [];
      return {
        enableMethods,
        isEnabled: enableMethods.length === 0 || enableMethods.some((method) => this.enabled.has(method)),
      };
    };
    return this.featureOptions.declare({ name, check, feature: owner.name, readOwner });
  }

  /** Returns the app's reply to an error: from its exception handlers, else the framework's. */
  abstract replyTo(error: Error, request: HttpRequest): Awaitable<Response>;

  provideShared(factories: SharedStateFactories, close?: Task | Task["run"]): this {
    this.assertOpen("shared state");
    const taken = Object.keys(factories).filter((port) => port in this.sharedFactories);
    this.problemIf(
      "CORE_ENABLED_TWICE",
      taken.length === 0 ? null : `two features provide shared ${taken.join(" and ")}; enable one of them`,
    );
    this.sharedFactories = { ...this.sharedFactories, ...factories };
    if (close !== undefined) this.addTask("onStop", close, { name: "shared state", rank: SHARED_RANK });
    return this;
  }

  get shared(): SharedState {
    return this.settings.shared;
  }

  /** Records the methods that enable a feature. */
  addEnableMethods(rank: number, methods: readonly string[]): void {
    this.enableMethods.set(rank, methods);
  }

  /** Records that a feature is enabled. Returns false, and reports a problem, if it already was. */
  enable(feature: string, method: string): boolean {
    this.assertOpen(method, "called");
    if (this.enabled.has(method)) {
      this.problem({
        code: "CORE_ENABLED_TWICE",
        message: `${method} was called twice; call it once, with all options`,
      });
      return false;
    }
    this.enabled.set(method, feature);
    return true;
  }

  configure<T extends object>(record: ConfigRecord<T>, input?: ConfigInput<T>): Readonly<T> {
    this.assertOpen(`a ${record.name}`);
    const { value, problems } = record.read(input);
    for (const message of problems) this.problem({ code: "CORE_BAD_CONFIG", message });
    return value;
  }

  problem(problem: Problem, feature = "core"): this {
    this.assertOpen(partOf(feature));
    this.problems.push(problem);
    return this;
  }

  advise(find: FindAdvice, feature: string): void {
    this.assertOpen(partOf(feature));
    this.advisers.push(find);
  }

  /** Returns the advice of every feature for a deployment. */
  protected advice(severalHosts: boolean): readonly Problem[] {
    const ports = ["values", "permits", "totals"] as const;
    const sharedPorts = ports.filter((port) => this.sharedFactories[port] !== undefined);
    return this.advisers.flatMap((find) => find({ severalHosts, sharedPorts }));
  }

  check(findProblems: (settings: AppSettings) => readonly Problem[], feature: string): this {
    this.assertOpen(partOf(feature));
    this.checks.push(findProblems);
    return this;
  }

  warn(problem: Problem, feature: string): this {
    this.assertOpen(partOf(feature));
    this.warnings.push(problem);
    return this;
  }

  impliesReplies(replies: ImpliedReplies, feature: string): this {
    this.assertOpen(partOf(feature));
    this.implied.push(replies);
    return this;
  }

  impliedReplies(route: RouteInfo): readonly ImpliedReply[] {
    const ofCore = coreReplies(route, this.settings.timeouts.handlerSecs);
    return [...ofCore, ...this.implied.flatMap((replies) => replies(route))];
  }

  usesFields(uses: FieldUses, feature: string): this {
    this.assertOpen(partOf(feature));
    this.fieldUses.push(uses);
    return this;
  }

  usedFields(route: RouteInfo): readonly FieldUse[] {
    return this.fieldUses.flatMap((uses) => uses(route));
  }

  identifies(describe: () => AuthDescription): this {
    this.assertOpen("an authentication");
    this.identities.push(describe);
    return this;
  }

  routes(): readonly RouteInfo[] {
    const ofApp = this.middleware.get("app") ?? [];
    const identities = this.identities.map((describe) => describe());
    return this.routeDefinitions.map(
      ({ method, path, options, ownOptions, tags, addedBy, exempt, guards: ofBlueprints, middleware }) => {
        const guards = [...guardsOfApp(this.guards, exempt), ...ofBlueprints];
        const required = authOf([...ofApp, ...middleware], path);
        const auth =
          required.length > 0
            ? required
            : identitiesFor([...guards, ...(options.guards ?? [])], identities, path);
        return { method, path, options, ownOptions, tags, addedBy, exempt, guards, auth };
      },
    );
  }

  enabledFeatures(): readonly string[] {
    return [...this.enabled.keys()];
  }

  install(part: { install?(host: Host): void }): this {
    this.assertOpen("middleware");
    if (part.install === undefined || this.installed.has(part)) return this;
    this.installed.add(part);
    part.install((this.middlewareHost ??= createHost(this, { name: "middleware", rank: middlewareRank })));
    return this;
  }

  /** Installs a middleware object once; the routes of one blueprint share theirs. */
  private installOnce(middleware: Middleware<HttpRequest, Response>): this {
    const object = httpMiddlewareObject(middleware);
    return object === undefined ? this : this.install(object);
  }

  /** Returns the settings with the shared-state ports that features provide. */
  protected withShared(settings: AppSettings): AppSettings {
    const { shared: own } = settings;
    const { values, permits, totals } = this.sharedFactories;
    if (values === undefined && permits === undefined && totals === undefined) return settings;
    const shared = {
      values: values?.(own.values) ?? own.values,
      permits: permits?.(own.permits) ?? own.permits,
      totals: totals?.(own.totals) ?? own.totals,
    };
    return { ...settings, shared, own };
  }

  private problemIf(code: string, message: string | null): void {
    if (message !== null) this.problem({ code, message });
  }

  private reportIfAny(problem: Problem | null): this {
    return problem === null ? this : this.problem(problem);
  }

  /** @param subject name of the registration, for the message @throws CORE_ALREADY_STARTED */
  assertOpen(subject: string, verb: "registered" | "called" = "registered"): void {
    if (!this.isClosed) return;
    throw new FrameworkError(
      "CORE_ALREADY_STARTED",
      `${subject} was ${verb} after the app started; register everything before run, start and the first fetch`,
    );
  }
}

/** Label of registrations without a name. */
const partOf = (feature: string): string => `a part of the feature ${feature}`;

const authOf = (
  chain: readonly Middleware<HttpRequest, Response>[],
  path: string,
): readonly AuthDescription[] =>
  [...new Set(chain)].flatMap((middleware) => {
    const description = httpMiddlewareObject(middleware)?.describeAuth?.();
    return description === undefined || description.skips(path) ? [] : [description];
  });

/** Describes how callers identify themselves to guards that read the caller: one description, because any one of the identities suffices. */
const identitiesFor = (
  guards: readonly Guard<HttpRequest>[],
  identities: readonly AuthDescription[],
  path: string,
): readonly AuthDescription[] => {
  const found = identities.filter((identity) => !identity.skips(path));
  if (found.length === 0 || !guards.some((guard) => guard.readsCaller === true)) return [];
  return [
    {
      schemes: mergeSchemes(found.map(({ schemes }) => schemes)),
      skips: () => false,
      replies: found.flatMap(({ replies = [] }) => replies),
    },
  ];
};

/** A route that a feature adds. */
interface FeatureRoute extends Pick<RouteDefinition, "method" | "path" | "addedBy"> {
  readonly handler: (request: HttpRequest) => unknown;
  readonly options: (RouteOptions & ExemptOption & ProgramRouteOption) | undefined;
}
