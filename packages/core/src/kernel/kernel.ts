import { ConfigurationError, type Problem } from "../errors/configuration-error.ts";
import { errorReply } from "../pipeline/error-reply.ts";
import { FrameworkError } from "../errors/framework-error.ts";
import { HttpError } from "../errors/http-error.ts";
import type { AppSettings } from "../lifecycle/app-settings.ts";
import { BackgroundTasks } from "../lifecycle/background-tasks.ts";
import { environmentProblems } from "../lifecycle/default-settings.ts";
import { compileTrustedProxies } from "../request/client-address.ts";
import { DRAIN_SECS } from "../lifecycle/stop-options.ts";
import { OpenCalls } from "../lifecycle/open-calls.ts";
import type { Awaitable } from "../middleware/middleware.ts";
import type { HttpRequest } from "../request/http-request.ts";
import type { RequestKernel } from "../request/request-kernel.ts";
import type { Response } from "../response/response.ts";
import type { AppReport, Runnable } from "../lifecycle/runnable.ts";
import { createPipeline, type Pipeline, type Serve } from "../pipeline/pipeline.ts";
import { type ReplyToRejected, createRefusals } from "../pipeline/refusals.ts";
import { Registry } from "./registry.ts";
import type { BlueprintEntry } from "../routes/route-call.ts";
import { bindRouteCall, missingFeature } from "./repeat-call.ts";
import { routeProblems } from "./route-problems.ts";

/** The implementation of an app: all registrations, and its lifecycle from start to stop. */
export class Kernel extends Registry {
  /** Calls of `fetch` that a drain waits for. */
  readonly calls: OpenCalls = new OpenCalls();
  private readonly app: object;
  /** Aborts when the app is stopped, which cancels a start in progress. */
  private readonly startAborter: AbortController = new AbortController();
  private started: Promise<void> | undefined;
  private listening: Promise<void> | undefined;
  private stopped: Promise<boolean> | undefined;
  /** Whether `run` has claimed the app. */
  private isClaimed = false;
  private drained: Promise<boolean> | undefined;
  /** Time limit of the drain in milliseconds, and its deadline on the monotonic clock. */
  private drainLimit: { readonly ms: number; readonly endsAt: number } = { ms: 0, endsAt: 0 };
  private startSettings: AppSettings | undefined;
  private pipeline: Pipeline | undefined;
  private refusals: ReplyToRejected | undefined;
  private background: BackgroundTasks | undefined;

  constructor(app: object) {
    super(app);
    this.app = app;
  }

  protected override get isClosed(): boolean {
    return this.started !== undefined;
  }

  override get settings(): AppSettings {
    if (this.startSettings !== undefined) return this.startSettings;
    throw new FrameworkError(
      "CORE_NOT_STARTED",
      "the app has not started: app.shared and the app's settings exist from the startup handlers on",
    );
  }

  /** Adds a blueprint's route, or replays the blueprint's call of a feature method on the app. */
  addEntry(entry: BlueprintEntry): void {
    if (!("args" in entry)) return void this.addRoute(entry);
    const method = bindRouteCall(this.app, entry);
    if (method === null) this.problem(missingFeature(entry));
    else this.within(entry, method);
  }

  /** Resolves when the app can serve; `undefined` before start. */
  get ready(): Promise<void> | undefined {
    return this.started;
  }

  /**
   * Compiles the app, reports all mistakes in the app and the settings together, and runs the start tasks; once, with the settings of the first call.
   * @throws ConfigurationError with all mistakes; CORE_START_TASK; CORE_START_ABANDONED; CORE_ALREADY_STOPPED; the error of an earlier start that failed
   */
  start(settings: AppSettings, mistakes: readonly Problem[] = []): Promise<void> {
    if (this.stopped !== undefined) return this.refuseStart();
    return (this.started ??= this.begin(settings, mistakes));
  }

  /** Runs the listening tasks of a started app, once. */
  listen(): Promise<void> {
    return (this.listening ??= this.life.listen(this.settings, this.startAborter.signal));
  }

  get serve(): Serve {
    if (this.stopped !== undefined) return () => this.replyWithoutRequest(appStopped());
    if (this.pipeline !== undefined) return this.pipeline.serve;
    throw new FrameworkError("CORE_NOT_STARTED", "start the app before serving requests");
  }

  override replyTo(error: Error, request: HttpRequest): Awaitable<Response> {
    if (this.pipeline !== undefined) return this.pipeline.rescue(error, request);
    throw new FrameworkError("CORE_NOT_STARTED", "error replies are available once the app has started");
  }

  /** Returns the app's reply to an error that belongs to no readable request. */
  replyWithoutRequest(error: Error): Response {
    return errorReply(error, { path: null, accept: null }, this.settings);
  }

  /** The interface for `run`. */
  get runnable(): Runnable {
    return {
      listeners: this.listeners,
      protocol: this.connectionProtocol,
      claim: () => this.claim(),
      check: (settings) => this.compile(settings).problems,
      start: (settings) => this.start(settings),
      listen: () => this.listen(),
      serve: (source) => this.serve(source),
      reject: (error, source) =>
        source === null || this.refusals === undefined || this.stopped !== undefined
          ? this.replyWithoutRequest(error)
          : this.refusals(error, source),
      drain: (limitMs) => this.drain(limitMs),
      endStreams: () => this.draining.begin(),
      abandon: () => this.startAborter.abort(startAborted()),
      stop: () => this.stop(),
      report: () => this.report(),
      advice: (severalHosts) => this.advice(severalHosts),
    };
  }

  /** Calls the drain listeners and waits for calls of `fetch`, once. Resolves to whether all ended within `limitMs`. */
  private drain(limitMs: number): Promise<boolean> {
    if (this.drained === undefined) this.drainLimit = { ms: limitMs, endsAt: performance.now() + limitMs };
    return (this.drained ??= this.drainWithin(limitMs));
  }

  private async drainWithin(limitMs: number): Promise<boolean> {
    const { startSettings: settings } = this;
    if (settings === undefined) return true;
    const parts = [this.life.drain(settings, limitMs), this.calls.untilIdle(limitMs, settings.log)];
    return (await Promise.all(parts)).every((inTime) => inTime);
  }

  /**
   * Drains, waits for background tasks, runs the stop tasks in reverse and disposes of singletons, once. Resolves to whether background tasks and disposal
   * ended in time.
   *
   * A start in progress is cancelled and rolled back. `limitMs` bounds the drain, unless `run` has drained the app already.
   */
  stop(limitMs: number = DRAIN_SECS * 1000): Promise<boolean> {
    if (this.started === undefined) return Promise.resolve(true);
    return (this.stopped ??= this.end(this.started, limitMs));
  }

  /** Rejects with the error of a failed start, else with CORE_ALREADY_STOPPED. */
  private async refuseStart(): Promise<void> {
    await this.started;
    await this.listening;
    throw new FrameworkError(
      "CORE_ALREADY_STOPPED",
      "an app that has stopped cannot be started again; create a new App",
    );
  }

  /** Reserves the app for one `run`. Returns a function that releases it. @throws CORE_RUN_TWICE */
  private claim(): () => void {
    if (this.isClaimed && this.stopped === undefined)
      throw new FrameworkError("CORE_RUN_TWICE", "an app runs once; create a new App for each run");
    this.isClaimed = true;
    return () => void (this.isClaimed = false);
  }

  private report(): AppReport {
    const features = [...new Set(this.enabled.values())];
    return {
      routes: this.routeDefinitions.length,
      features,
      warnings: this.warnings,
      needsReadinessDelay: this.isProbed,
      links: this.insight.links,
    };
  }

  private async begin(baseSettings: AppSettings, mistakes: readonly Problem[]): Promise<void> {
    await Promise.resolve(); // `started` must be set before any code below reads it
    const { kernel, pipeline, problems } = this.compile(this.withShared(baseSettings));
    if (mistakes.length + problems.length > 0) throw new ConfigurationError([...mistakes, ...problems]);
    const { settings, background } = kernel;
    this.startSettings = settings;
    this.background = background;
    await this.life.prepare(settings, this.startAborter.signal);
    this.refusals = createRefusals(this.middleware, kernel);
    this.pipeline = pipeline;
  }

  /** Compiles the app and collects all mistakes; starts nothing. */
  private compile(settings: AppSettings): CompiledApp {
    const { app, container, routeDefinitions: routes } = this;
    const { log } = settings;
    const { proxies, problems: badProxies } = compileTrustedProxies(settings.trustedProxies);
    container.log = log;
    const ofRoutes = routes.map(({ method, path, options }) => ({
      place: `${method} ${path}`,
      inject: options.inject ?? {},
    }));
    const problems = [
      ...environmentProblems(settings),
      ...this.problems,
      ...this.checks.flatMap((findProblems) => findProblems(settings)),
      ...badProxies.map((message) => ({ code: "CORE_BAD_CONFIG", message })),
      ...routeProblems(routes, this.featureOptions),
      ...container.check([...ofRoutes, ...this.injections]),
    ];
    const background = new BackgroundTasks(log);
    const { draining } = this;
    const kernel = { app, settings, container, background, trustedProxies: proxies, draining };
    const { guards, middleware, exceptionHandlers, labels } = this;
    const { requests, traces } = this.insight;
    const parts = { routes, guards, middleware, exceptionHandlers, requests, labels, traces };
    const pipeline = createPipeline(parts, kernel, (problem) => problems.push(problem));
    return { kernel, pipeline, problems };
  }

  private async end(started: Promise<void>, limitMs: number): Promise<boolean> {
    await Promise.resolve(); // `stopped` must be set before a listener of `startAborter` reads it
    this.startAborter.abort(startAborted());
    await Promise.allSettled([started, this.listening]);
    const { startSettings: settings } = this;
    if (settings === undefined) return true; // the start failed before its first task
    const drained = this.drain(limitMs);
    this.draining.begin();
    await drained;
    const { ms, endsAt } = this.drainLimit;
    const remainingMs = (): number => Math.max(0, endsAt - performance.now());
    const cutMs = unwindMs(ms);
    const tasksEnded = (await this.background?.untilIdle(Math.max(remainingMs(), cutMs))) ?? true; // deferred tasks of aborted calls begin now
    await this.life.stop(settings);
    const isDisposed = await this.container.dispose({ limitMs: Math.max(remainingMs(), cutMs), cutMs });
    return tasksEnded && isDisposed;
  }
}

interface CompiledApp {
  readonly kernel: RequestKernel;
  readonly pipeline: Pipeline;
  readonly problems: readonly Problem[];
}

/** Milliseconds between the abort of calls at the drain's deadline and the disposal of their dependencies: a twentieth of the drain, at most 1 s. */
const unwindMs = (drainLimitMs: number): number => Math.min(1000, drainLimitMs / 20);

const startAborted = (): FrameworkError =>
  new FrameworkError("CORE_START_ABANDONED", "the app was stopped during its start");

const appStopped = (): HttpError => new HttpError(503, "The application has stopped");
