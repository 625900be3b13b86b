import type { ConfigInput, ConfigRecord } from "../config/config-record.ts";
import { Container } from "../dependencies/container.ts";
import type { Provider, Token } from "../dependencies/token.ts";
import { ConfigurationError, type Problem } from "../errors/configuration-error.ts";
import { errorReply } from "../errors/error-reply.ts";
import { type ErrorClass, type ExceptionHandler, ExceptionHandlers } from "../errors/exception-handlers.ts";
import { FrameworkError } from "../errors/framework-error.ts";
import type { Host } from "../feature.ts";
import type { Guard } from "../guards/guard.ts";
import type { AppSettings } from "../lifecycle/app-settings.ts";
import { BackgroundTasks } from "../lifecycle/background-tasks.ts";
import { runStartTasks, runStopTasks, type Task } from "../lifecycle/tasks.ts";
import type { Middleware } from "../middleware.ts";
import { compileTrustedProxies } from "../request/client-address.ts";
import type { HttpRequest } from "../request/http-request.ts";
import type { Response } from "../response/response.ts";
import { registrationPlace } from "../routing/route-place.ts";
import type { Method, RouteDefinition, RouteInfo, RouteOptions } from "../routing/route.ts";
import type { AppReport, Runnable } from "../run/runnable.ts";
import { createPipeline, type Serve } from "./pipeline.ts";
import type { Stage } from "./stages.ts";

/** What an app is made of behind its public face: everything registered, and after `start` the compiled pipeline. */
export class Kernel implements Host {
  readonly routeDefinitions: RouteDefinition[] = [];
  readonly guards: Guard[] = [];
  readonly exceptionHandlers: ExceptionHandlers = new ExceptionHandlers();
  readonly container: Container = new Container();
  readonly features: readonly string[];
  private readonly app: object;
  private readonly middleware: Map<Stage, Middleware<HttpRequest, Response>[]> = new Map();
  private readonly startTasks: Task[] = [];
  private readonly stopTasks: Task[] = [];
  private readonly problems: Problem[] = [];
  private readonly warnings: Problem[] = [];
  private readonly configured: Set<string> = new Set();
  private readonly snapshots: Map<string, () => unknown> = new Map();
  private started: Promise<void> | undefined;
  private stopped: Promise<void> | undefined;
  private pipeline: Serve | undefined;
  private background: BackgroundTasks | undefined;
  private settled: AppSettings | undefined;
  private readonly drainListeners: (() => void)[] = [];

  constructor(app: object, features: readonly string[]) {
    this.app = app;
    this.features = features;
  }

  // --- registration ---

  use(stage: Stage, middleware: Middleware<HttpRequest, Response>): this {
    this.assertOpen("use");
    const present = this.middleware.get(stage);
    if (present === undefined) this.middleware.set(stage, [middleware]);
    else present.push(middleware);
    return this;
  }

  route(
    method: Method,
    path: string,
    handler: (request: HttpRequest) => unknown,
    options: RouteOptions = {},
  ): this {
    const place = registrationPlace();
    return this.addRoute({
      method,
      path,
      handler,
      options,
      place,
      guards: [],
      middleware: [],
      tags: options.tags ?? [],
    });
  }

  addRoute(route: RouteDefinition): this {
    this.assertOpen(`${route.method} ${route.path}`);
    this.routeDefinitions.push(route);
    return this;
  }

  addGuard(guard: Guard): void {
    this.assertOpen("addGuard");
    this.guards.push(guard);
  }

  addExceptionHandler<E extends Error>(errorClass: ErrorClass<E>, handler: ExceptionHandler<E>): void {
    this.assertOpen("exceptionHandler");
    this.keep(this.exceptionHandlers.add(errorClass, handler));
  }

  onStart(task: Task | Task["run"]): this {
    this.assertOpen("onStart");
    this.startTasks.push(toTask(task));
    return this;
  }

  onStop(task: Task | Task["run"]): this {
    this.assertOpen("onStop");
    this.stopTasks.push(toTask(task));
    return this;
  }

  onDrain(listener: () => void): this {
    this.assertOpen("onDrain");
    this.drainListeners.push(listener);
    return this;
  }

  provide<T>(token: Token<T>, provider: Provider<T>): this {
    this.assertOpen("provide");
    return this.keep(this.container.provide(token, provider));
  }

  register(name: string | Token<unknown>, value: unknown): this {
    this.assertOpen("registerSingleton");
    return this.keep(this.container.register(name, value));
  }

  expose(name: string, snapshot: () => unknown): this {
    this.snapshots.set(name, snapshot);
    return this;
  }

  configure<T extends object>(record: ConfigRecord<T>, input?: ConfigInput<T>): Readonly<T> {
    this.assertOpen(record.name);
    if (this.configured.has(record.name)) {
      this.refuse({
        code: "CORE_ENABLED_TWICE",
        message: `the feature of ${record.name} is enabled twice; enable it once`,
      });
    }
    this.configured.add(record.name);
    const { value, problems } = record.read(input);
    for (const message of problems) this.refuse({ code: "CORE_BAD_CONFIG", message });
    return value;
  }

  refuse(problem: Problem): this {
    this.problems.push(problem);
    return this;
  }

  warn(problem: Problem): this {
    this.warnings.push(problem);
    return this;
  }

  routes(): readonly RouteInfo[] {
    return this.routeDefinitions;
  }

  get settings(): AppSettings {
    if (this.settled !== undefined) return this.settled;
    throw new FrameworkError("CORE_NOT_STARTED", "settings are known from the first start task on");
  }

  /** What every feature says of itself at this moment, by name. */
  snapshot(): Readonly<Record<string, unknown>> {
    return Object.fromEntries([...this.snapshots].map(([name, read]) => [name, read()]));
  }

  // --- life ---

  /** Resolves when start is through; `undefined` before it began. */
  get ready(): Promise<void> | undefined {
    return this.started;
  }

  /** Compiles, reports every mistake at once, runs the start tasks; once. */
  start(settings: AppSettings): Promise<void> {
    this.started ??= this.begin(settings);
    return this.started;
  }

  get serve(): Serve {
    if (this.pipeline !== undefined) return this.pipeline;
    throw new FrameworkError("CORE_NOT_STARTED", "start the app before it serves");
  }

  /** The face that `run` needs. */
  get runnable(): Runnable {
    return {
      start: (settings) => this.start(settings),
      serve: (source) => this.serve(source),
      refuse: (error) => errorReply(error, { path: null, accept: null }, this.settings),
      drain: () => this.drainListeners.forEach((listener) => listener()),
      stop: () => this.stop(),
      report: () => this.report(),
    };
  }

  /** Waits for background tasks, runs the stop tasks in reverse, disposes singletons; once. */
  stop(): Promise<void> {
    this.stopped ??= this.end();
    return this.stopped;
  }

  private report(): AppReport {
    return {
      routes: this.routeDefinitions.length,
      features: this.features,
      warnings: this.warnings,
      needsReadinessDelay: this.features.includes("health"),
    };
  }

  private async begin(settings: AppSettings): Promise<void> {
    await Promise.resolve(); // `started` is set before anything below can ask for it
    const { log } = settings;
    const { proxies, problems } = compileTrustedProxies(settings.trustedProxies);
    for (const message of problems) this.refuse({ code: "CORE_BAD_CONFIG", message });
    const background = new BackgroundTasks(log);
    const { app, container } = this;
    container.log = log;
    const injections = this.routeDefinitions.map(({ method, path, options }) => ({
      place: `${method} ${path}`,
      inject: options.inject ?? {},
    }));
    for (const problem of container.check(injections)) this.refuse(problem);
    const kernel = { app, settings, container, background, trustedProxies: proxies };
    const parts = {
      routes: this.routeDefinitions,
      guards: this.guards,
      middleware: this.middleware,
      exceptionHandlers: this.exceptionHandlers,
    };
    const pipeline = createPipeline(parts, kernel, (problem) => this.refuse(problem));
    if (this.problems.length > 0) throw new ConfigurationError(this.problems);
    this.settled = settings;
    this.background = background;
    await runStartTasks(this.startTasks, settings);
    this.pipeline = pipeline;
  }

  private async end(): Promise<void> {
    if (this.settled === undefined) return;
    await this.background?.drained();
    await runStopTasks(this.stopTasks, this.settled, this.settled.log);
    await this.container.dispose();
  }

  private keep(problem: Problem | null): this {
    return problem === null ? this : this.refuse(problem);
  }

  private assertOpen(what: string): void {
    if (this.started === undefined) return;
    throw new FrameworkError(
      "CORE_ALREADY_STARTED",
      `${what} came after the app started; register everything before`,
    );
  }
}

const toTask = (task: Task | Task["run"]): Task =>
  typeof task === "function" ? { name: task.name, run: task } : task;
