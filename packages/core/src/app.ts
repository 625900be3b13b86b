import type { Provider, Token } from "./dependencies/token.ts";
import type { Problem } from "./errors/configuration-error.ts";
import type { ErrorClass, ExceptionHandler } from "./pipeline/exception-handlers.ts";
import type { AnyFeature, InstalledMethods, SatisfiedFeatures } from "./feature/feature.ts";
import { serveWebRequest } from "./transport/fetch/fetch.ts";
import type { Guard } from "./guards/guard.ts";
import { assertFeatures, blueprintProblem } from "./kernel/argument-problems.ts";
import { Kernel } from "./kernel/kernel.ts";
import { defaultSettings, startProblems } from "./lifecycle/default-settings.ts";
import type { AppSettings } from "./lifecycle/app-settings.ts";
import { eventProblem } from "./lifecycle/event-problems.ts";
import { keepAliveDuring } from "./lifecycle/keep-alive-during.ts";
import { drainMs, type StopOptions } from "./lifecycle/stop-options.ts";
import type { HttpMiddleware } from "./feature/http-middleware.ts";
import { installFeature } from "./kernel/install-feature.ts";
import { oncePerService } from "./lifecycle/once-per-service.ts";
import { programRank } from "./lifecycle/ranks.ts";
import { type Awaitable, toMiddleware } from "./middleware/middleware.ts";
import type { HttpRequest } from "./request/http-request.ts";
import { inheritGlobalResponse } from "./response/web-class.ts";
import type { BlueprintFor } from "./blueprint.ts";
import { type RegisterRoute, type RegisterRoutes, RouteMethods } from "./routes/route-methods.ts";
import type { RouteDefinition, RouteInfo } from "./routes/route.ts";
import { run } from "./run/run.ts";
import { type ProgramValues, programValues } from "./shared-state/program-values.ts";
import type { Running, RunOptions } from "./run/settings/run-options.ts";

/** Options of `onEvent`. */
export interface EventOptions {
  /**
   * `"service"` runs a startup handler in one worker only. The others wait until it has succeeded, and workers that start later skip it.
   * @default in each worker
   */
  readonly once?: "service";
}

/** Any class of apps; TypeScript requires this shape of a mixin's base. */
// oxlint-disable-next-line typescript/no-explicit-any -- a class may have any arguments and state
type AppClass = (new (...args: any[]) => App<any>) & { readonly features: readonly AnyFeature[] };

/** `App` itself has free-form state; inference alone would choose the narrowest type. */
type Stateful<T> = App<object> extends T ? App : T;

/**
 * An HTTP application: register routes, enable features, run it.
 *
 * `App.with(...)` creates a class that also has the methods of the given features. Methods that register or enable something return the app, so calls chain,
 * except the route methods. Nothing may be registered after start.
 *
 * @example
 * class BooksApp extends App.with(cors, caching) {}
 * const app = new BooksApp().enableCors().enableCaching({ ttl: 60 });
 * app.get("/books/{id}", (request) => ({ id: request.params.id }));
 * await app.run({ port: 8000 });
 */
export class App<State extends object = Record<string, unknown>> extends RouteMethods<"", App<State>> {
  /** The features of this class, in installation order. */
  static readonly features: readonly AnyFeature[] = [];

  /**
   * Creates a subclass with the methods of `features`, and the constructor's arguments and static members of this class.
   *
   * A feature whose prerequisites are missing or listed after it is a compile error that names them in `needs`. A repeated feature counts once.
   *
   * @throws CORE_BAD_ARGUMENT for a value that is not a feature; `new` throws CORE_FEATURE_MISSING, and CORE_METHOD_TAKEN for two methods of the same name
   */
  static with<C extends AppClass, const Fs extends readonly AnyFeature[]>(
    this: C,
    ...features: Fs & SatisfiedFeatures<InstanceType<C>, Fs>
  ): (new (...args: ConstructorParameters<C>) => Stateful<InstanceType<C>> & InstalledMethods<Fs>) &
    Omit<C, "prototype"> {
    assertFeatures("App.with", features);
    const Base = this as unknown as typeof App;
    class Composed extends Base {
      static override readonly features: readonly AnyFeature[] = [
        ...new Set([...Base.features, ...features]),
      ];
    }
    return Composed as never; // feature.test-d.ts checks the types that this function casts
  }

  /** Free-form state of the app; handlers read it as `request.app.state`. */
  readonly state: State = {} as State;

  declare readonly get: RegisterRoute<"", this>;
  declare readonly post: RegisterRoute<"", this>;
  declare readonly put: RegisterRoute<"", this>;
  declare readonly patch: RegisterRoute<"", this>;
  declare readonly delete: RegisterRoute<"", this>;
  declare readonly options: RegisterRoute<"", this>;
  declare readonly head: RegisterRoute<"", this>;
  declare readonly query: RegisterRoute<"", this>;
  declare readonly route: RegisterRoutes<"", this>;

  private readonly kernel: Kernel;
  private onceHandlers = 0;

  constructor() {
    super();
    const { features } = new.target;
    this.kernel = new Kernel(this);
    const methods = {};
    for (const [rank, feature] of features.entries())
      installFeature(feature, this, this.kernel, { rank, methods });
  }

  /** Adds middleware around every request, including unmatched paths and error replies; in the order added, outside the guards. */
  use(middleware: HttpMiddleware, ...more: readonly never[]): this {
    for (const each of [middleware, ...more]) this.kernel.use("app", toMiddleware(each));
    return this;
  }

  /**
   * Adds a guard to every route, and to entry points that run the app's guards, such as a gRPC server. There, a guard that needs an HTTP request
   * fails, which rejects the caller.
   */
  addGuard(guard: Guard<HttpRequest>, ...more: readonly never[]): this {
    for (const each of [guard, ...more]) this.kernel.addGuard(each);
    return this;
  }

  /** Adds copies of a blueprint's routes, with its prefix, guards, tags and middleware. */
  registerBlueprint(blueprint: BlueprintFor<this>): this {
    this.kernel.assertOpen("a blueprint");
    const problem = blueprintProblem(blueprint);
    if (problem !== null) return this.reported(problem);
    for (const entry of blueprint.definitions()) this.kernel.addEntry(entry);
    return this;
  }

  /** Registers a value for `Depends(name)` and `inject`. A duplicate name is a start error. */
  registerSingleton<T>(name: string | Token<T>, value: NoInfer<T>): this {
    this.kernel.register(name, value);
    return this;
  }

  /** Registers a factory for a token, in the token's scope: a function, or `{ create, dispose }`. */
  provide<T>(token: Token<T>, provider: Provider<NoInfer<T>>): this {
    this.kernel.provide(token, provider);
    return this;
  }

  /** Replaces a dependency with a value until the returned function is called or disposed of. */
  override<T>(token: string | Token<T>, value: NoInfer<T>): Disposable & (() => void) {
    return this.kernel.container.override(token, value);
  }

  /**
   * Runs a handler when the app starts or stops: startup handlers in order, after all features and before the first request; shutdown handlers in reverse.
   *
   * `signal` aborts when the app no longer waits for the handler: it timed out, or the app was stopped during its start.
   */
  onEvent(
    event: "startup" | "shutdown",
    handler: (settings: AppSettings, signal: AbortSignal) => Awaitable<void>,
    options: EventOptions = {},
  ): this {
    this.kernel.assertOpen("a handler of onEvent");
    const problem = eventProblem(event, handler, options);
    if (problem !== null) return this.reported(problem);
    const { once } = options;
    const run = once === undefined ? handler : oncePerService(`core:once:${++this.onceHandlers}`, handler);
    const task = { name: handler.name || event, run };
    const phase = event === "startup" ? "onStart" : "onStop";
    this.kernel.addTask(phase, task, { name: "onEvent", rank: programRank });
    return this;
  }

  /** Handles errors of a class and of its subclasses, unless a nearer class has its own handler. */
  exceptionHandler<E extends Error>(errorClass: ErrorClass<E>, handler: ExceptionHandler<E>): this {
    this.kernel.addExceptionHandler(errorClass, handler);
    return this;
  }

  /**
   * Values, counters and messages shared by all workers, and by all hosts with a feature such as Redis. Features use separate keys.
   *
   * Values expire. They count towards the 100,000 keys of the shared state; above that, the key nearest to its expiry is evicted.
   *
   * @throws CORE_NOT_STARTED before the startup handlers
   */
  get shared(): ProgramValues {
    return programValues(this.kernel.shared.values);
  }

  /** Every registered route. */
  get routes(): readonly RouteInfo[] {
    return this.kernel.routes();
  }

  /** The current snapshot of each feature; for one that throws, `error` with the message. */
  snapshot(): Readonly<Record<string, unknown>> {
    return this.kernel.insight.snapshot();
  }

  /**
   * Compiles the app and runs its start and listening tasks without a port. The first `fetch` calls it; `run` starts the app itself.
   *
   * @throws ConfigurationError with every mistake; CORE_START_TASK when a task failed, after a rollback; CORE_START_ABANDONED; CORE_ALREADY_STOPPED
   */
  async start(settings: Partial<AppSettings> = {}): Promise<this> {
    try {
      await this.kernel.start(defaultSettings(settings), startProblems(settings));
      await this.kernel.listen();
    } catch (error) {
      await this.kernel.stop();
      throw error;
    }
    return this;
  }

  /** Handles a web request without a socket; starts the app first if necessary. */
  async fetch(request: globalThis.Request): Promise<globalThis.Response> {
    inheritGlobalResponse();
    await (this.kernel.ready ?? this.start());
    return serveWebRequest(this.kernel.serve, request, this.kernel);
  }

  /**
   * Drains and stops an app that was started without `run`; cancels a start in progress.
   *
   * Stop tasks wait for calls of `fetch` in flight, including bodies that are being read, and for drain listeners; later calls get 503.
   *
   * @param options.timeoutSecs maximum wait in seconds, at most a day; then remaining calls are logged, and their `request.signal` aborts. @default 30
   * @throws ConfigurationError CORE_BAD_CONFIG for an invalid `timeoutSecs`; the app keeps running
   */
  async stop(options?: StopOptions): Promise<void> {
    const limitMs = drainMs(options);
    await keepAliveDuring(() => this.kernel.stop(limitMs));
  }

  /**
   * Serves over HTTP and resolves when listening. Precedence: command-line flags, environment (`HOST`, `PORT`, `FRAMEWORK_ENV`), `options`, defaults.
   *
   * @throws only with `exitOnError: false`; otherwise all mistakes are printed in one message and the process exits with code 1
   */
  async run(options: RunOptions = {}): Promise<Running> {
    return run(this.kernel.runnable, options);
  }

  private reported(problem: Problem): this {
    this.kernel.problem(problem);
    return this;
  }

  protected override addRoute(route: RouteDefinition): void {
    this.kernel.addRoute(route);
  }
}
