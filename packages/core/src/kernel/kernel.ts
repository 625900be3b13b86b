import { ConfigurationError, type Problem } from "../errors/configuration-error.ts";
import { errorReply } from "./error-reply.ts";
import { FrameworkError } from "../errors/framework-error.ts";
import { HttpError } from "../errors/http-error.ts";
import type { AppSettings } from "../lifecycle/app-settings.ts";
import { BackgroundTasks } from "../lifecycle/background-tasks.ts";
import { byRank } from "../lifecycle/ranked-tasks.ts";
import { runStartTasks, runStopTasks } from "../lifecycle/tasks.ts";
import { compileTrustedProxies } from "../request/client-address.ts";
import type { Awaitable } from "../middleware/middleware.ts";
import type { HttpRequest } from "../request/http-request.ts";
import type { RequestKernel } from "../request/request-kernel.ts";
import type { Response } from "../response/response.ts";
import type { AppReport, Runnable } from "../lifecycle/runnable.ts";
import { createPipeline, type Pipeline, type Serve } from "./pipeline.ts";
import { createRefusals, type Refuse } from "./refusals.ts";
import { Registry } from "./registry.ts";
import { routeProblems } from "./route-problems.ts";

/** What an app is behind its public face: everything registered, and its life from start to stop. */
export class Kernel extends Registry {
  private readonly app: object;
  private started: Promise<void> | undefined;
  private stopped: Promise<void> | undefined;
  private settled: AppSettings | undefined;
  private pipeline: Pipeline | undefined;
  private refusals: Refuse | undefined;
  private background: BackgroundTasks | undefined;

  constructor(app: object) {
    super(app);
    this.app = app;
  }

  protected override get isClosed(): boolean {
    return this.started !== undefined;
  }

  override get settings(): AppSettings {
    if (this.settled !== undefined) return this.settled;
    throw new FrameworkError("CORE_NOT_STARTED", "settings are known from the first start task on");
  }

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
    if (this.stopped !== undefined)
      return () => errorReply(gone(), { path: null, accept: null }, this.settings);
    if (this.pipeline !== undefined) return this.pipeline.serve;
    throw new FrameworkError("CORE_NOT_STARTED", "start the app before it serves");
  }

  override replyTo(error: Error, request: HttpRequest): Awaitable<Response> {
    if (this.pipeline !== undefined) return this.pipeline.rescue(error, request);
    throw new FrameworkError("CORE_NOT_STARTED", "errors have replies once the app has started");
  }

  /** The face that `run` needs. */
  get runnable(): Runnable {
    return {
      check: (settings) => this.compile(settings).problems,
      start: (settings) => this.start(settings),
      serve: (source) => this.serve(source),
      reject: (error, source) =>
        source === null || this.refusals === undefined || this.stopped !== undefined
          ? errorReply(error, { path: null, accept: null }, this.settings)
          : this.refusals(error, source),
      drain: () => this.drainListeners.forEach((listener) => listener()),
      stop: () => this.stop(),
      report: () => this.report(),
    };
  }

  /** Waits for background tasks, runs the stop tasks in reverse, disposes singletons; once. */
  stop(): Promise<void> {
    if (this.settled === undefined) return Promise.resolve(); // nothing was started, so nothing is to be stopped
    this.stopped ??= this.end(this.settled);
    return this.stopped;
  }

  private report(): AppReport {
    const features = [...new Set(this.enabled.values())];
    const documents = this.routeDefinitions.filter(({ builtIn }) => builtIn === "docs");
    const docs = documents.find(({ path }) => !path.includes(".")) ?? documents[0]; // a page rather than a file
    return {
      routes: this.routeDefinitions.length,
      features,
      warnings: this.warnings,
      needsReadinessDelay: this.routeDefinitions.some(({ builtIn }) => builtIn === "health"),
      ...(docs === undefined ? {} : { docsUrl: docs.path }),
    };
  }

  private async begin(given: AppSettings): Promise<void> {
    await Promise.resolve(); // `started` is set before anything below can ask for it
    const { kernel, pipeline, problems } = this.compile(this.withShared(given));
    if (problems.length > 0) throw new ConfigurationError(problems);
    const { settings, background } = kernel;
    this.settled = settings;
    this.background = background;
    await runStartTasks(byRank(this.startTasks), settings);
    this.refusals = createRefusals(this.middleware, kernel);
    this.pipeline = pipeline;
  }

  /** The app as it will serve, and everything that is wrong with it; nothing is started. */
  private compile(settings: AppSettings): Compiled {
    const { app, container, routeDefinitions: routes } = this;
    const { log } = settings;
    const { proxies, problems: badProxies } = compileTrustedProxies(settings.trustedProxies);
    container.log = log;
    const ofRoutes = routes.map(({ method, path, options }) => ({
      place: `${method} ${path}`,
      inject: options.inject ?? {},
    }));
    const problems = [
      ...this.problems,
      ...badProxies.map((message) => ({ code: "CORE_BAD_CONFIG", message })),
      ...routeProblems(routes, this.featureOptions),
      ...container.check([...ofRoutes, ...this.injections]),
    ];
    const background = new BackgroundTasks(log);
    const kernel = { app, settings, container, background, trustedProxies: proxies };
    const { guards, middleware, exceptionHandlers, requests } = this;
    const parts = { routes, guards, middleware, exceptionHandlers, requests };
    const pipeline = createPipeline(parts, kernel, (problem) => problems.push(problem));
    return { kernel, pipeline, problems };
  }

  private async end(settings: AppSettings): Promise<void> {
    await this.background?.drained();
    await runStopTasks(byRank(this.stopTasks), settings, settings.log);
    await this.container.dispose();
  }
}

interface Compiled {
  readonly kernel: RequestKernel;
  readonly pipeline: Pipeline;
  readonly problems: readonly Problem[];
}

const gone = (): HttpError => new HttpError(503, "The application has stopped");
