import type { ConfigInput, ConfigRecord } from "./config/config-record.ts";
import type { Provider, Token } from "./dependencies/token.ts";
import type { Problem } from "./errors/configuration-error.ts";
import type { Stage } from "./kernel/stages.ts";
import type { HealthCheck } from "./insight/health-check.ts";
import type { Measure } from "./insight/measure.ts";
import type { OptionCheck } from "./kernel/route-problems.ts";
import type { AppSettings } from "./lifecycle/app-settings.ts";
import type { Task } from "./lifecycle/tasks.ts";
import type { Middleware } from "./middleware.ts";
import type { HttpRequest } from "./request/http-request.ts";
import type { Response } from "./response/response.ts";
import type { BuiltIn, FeatureOptions } from "./routing/feature-options.ts";
import type { Method, RouteInfo, RouteOptions } from "./routing/route.ts";
import type { SharedState } from "./shared-state/shared-state.ts";

/**
 * A plain object that adds methods to an app.
 *
 * @example
 * export interface Poweredness { enablePoweredBy(): this }
 * export const poweredBy: Feature<Poweredness> = {
 *   name: "powered-by",
 *   install: (host) => ({
 *     enablePoweredBy() { host.use("headers", poweredByHeader()); return this; },
 *   }),
 * };
 */
export interface Feature<Methods extends object = object, Needs extends object = object> {
  readonly name: string;
  /** Called once per app, in order, without I/O; a getter among the methods stays a getter; the host carries the methods that `Needs` names. */
  install(host: Host & Needs): Methods;
}

/** All of an app that a feature can touch. Everything except `expose` throws CORE_ALREADY_STARTED after start. */
export interface Host {
  /** Adds middleware at a stage; within a stage the order added counts. */
  use(stage: Stage, middleware: Middleware<HttpRequest, Response>): this;
  /**
   * Adds a route; what the handler returns becomes the reply. `builtIn` says what it is for: guards of the app leave health and metrics alone; rate
   * limit, breaker and cache leave health, metrics and docs alone.
   */
  route(
    method: Method,
    path: string,
    handler: (request: HttpRequest) => unknown,
    options?: RouteOptions,
    builtIn?: BuiltIn,
  ): this;
  /** Adds work before the app serves; tasks run in order, a failure stops the start. */
  onStart(task: Task | Task["run"]): this;
  /** Adds work after the last reply; tasks run in reverse order and always to the end. */
  onStop(task: Task | Task["run"]): this;
  /** Calls back when the service begins to drain, before it stops listening: readiness turns 503 here. */
  onDrain(listener: () => void): this;
  /** Makes a dependency available to handlers. */
  provide<T>(token: Token<T>, provider: Provider<T>): this;
  /** Publishes what the feature is doing, for pages and reports that read it on demand. */
  expose(name: string, snapshot: () => unknown): this;
  /**
   * Reads a feature's record: defaults filled, frozen; mistakes are reported at start together with all others.
   */
  configure<T extends object>(record: ConfigRecord<T>, input?: ConfigInput<T>): Readonly<T>;
  /** Reports a mistake; start fails with all of them. */
  refuse(problem: Problem): this;
  /** Reports what an operator should know; shown at start. */
  warn(problem: Problem): this;
  /** Every route of the app; complete from the first start task on. */
  routes(): readonly RouteInfo[];
  /** Names of the `enableX` methods that were called; complete from the first start task on. */
  switchedOn(): readonly string[];
  /** Reads an option of routes: `check` says at start what is wrong with a value. Without it the option is a start error. */
  routeOption<Name extends keyof FeatureOptions>(name: Name, check: OptionCheck<Name>): this;
  /** Publishes a figure, read when a report of metrics asks. */
  measure(measure: Measure): this;
  /** Every figure that was published; complete from the first start task on. */
  measures(): readonly Measure[];
  /** Adds a check that health reports run. */
  healthCheck(check: HealthCheck): this;
  /** Every check that was added; complete from the first start task on. */
  healthChecks(): readonly HealthCheck[];
  /** Puts another state in the place of `shared`, for every feature; `make` is called once, before the first start task, with the workers' own state. */
  provideShared(make: (own: SharedState) => SharedState): this;
  /** State on which all workers agree. @throws CORE_NOT_STARTED before the first start task */
  readonly shared: SharedState;
  /** How the app is run. @throws CORE_NOT_STARTED before the first start task */
  readonly settings: AppSettings;
}

/** Any feature. */
export type AnyFeature = Feature<object, never>;

/** The methods that a feature adds. */
export type MethodsOf<F> = F extends Feature<infer M, never> ? M : never;

/** The methods that a list of features adds. */
export type Installed<Fs extends readonly AnyFeature[]> = Fs extends readonly [
  infer F,
  ...infer Rest extends readonly AnyFeature[],
]
  ? MethodsOf<F> & Installed<Rest>
  : object;

/** The list itself where each feature's needs are met by what stands before it; else a type that names what is missing in `needs`. */
export type Satisfied<Have, Fs extends readonly AnyFeature[]> = Fs extends readonly [
  infer F extends AnyFeature,
  ...infer Rest extends readonly AnyFeature[],
]
  ? F extends Feature<infer M, infer N>
    ? [Have] extends [N]
      ? [F, ...Satisfied<Have & M, Rest>]
      : [Feature<M> & { readonly needs: Exclude<keyof N, keyof Have> }, ...Satisfied<Have & M, Rest>]
    : never
  : [];
