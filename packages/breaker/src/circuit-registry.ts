// More than 250 lines, because one registry creates, finds and shares the circuits of routes, other entry points and the program.
import { randomUUID } from "node:crypto";
import {
  type AppSettings,
  type Endpoint,
  FrameworkError,
  HttpError,
  type HttpRequest,
  type Middleware,
  type Response,
  type RouteInfo,
} from "@framework/core";
import {
  markHandled,
  nearest,
  type ProtectEntryPoint,
  type RouteOption,
  type Sample,
  type SharedState,
  systemClock,
  throttledLog,
} from "@framework/core/feature";
import { type BreakerOptions, policyOf } from "./breaker.ts";
import { Circuit, type CircuitState, type CircuitTransition } from "./circuit.ts";
import { CircuitBreakerConfig, mergeSettings } from "./circuit-config.ts";
import { LocalCircuitStore } from "./circuit-store.ts";
import type { CallOptions, CircuitInfo, Circuits } from "./circuits.ts";
import { entryPolicy } from "./entry-policy.ts";
import { type FailurePolicy, guardCall } from "./guard-call.ts";
import { requestPolicy } from "./request-policy.ts";
import type { RouteCircuit } from "./route-circuit.ts";
import { SharedCircuitStore, toPhaseMessage, PHASES_CHANNEL } from "./shared-circuit-store.ts";
import { notifyListener } from "./transition-listener.ts";

/** Maximum number of circuits of one app. */
export const MAX_CIRCUITS = 1000;

/** A circuit with its settings. */
interface Member {
  readonly circuit: Circuit;
  readonly config: Readonly<CircuitBreakerConfig>;
}

/** The circuit of a route, with the rules for its replies. */
interface RouteMember extends Member {
  readonly policy: FailurePolicy<HttpRequest, Response>;
}

/** A circuit with the settings that explain its decisions. */
type ExplainedCircuit = CircuitInfo & Pick<CircuitBreakerConfig, "failureThreshold" | "halfOpenTarget">;

interface Runtime {
  readonly shared: SharedState;
  readonly log: AppSettings["log"];
}

/** The circuits of one app, from `enableCircuitBreaker` to stop. */
export class CircuitRegistry implements Circuits {
  rejected = 0;
  private readonly option: Pick<RouteOption<RouteCircuit | false>, "of">;
  private readonly id: string = randomUUID();
  private readonly members = new Map<string, Member>();
  /** Names of the circuits of `around`. */
  private readonly ownNames = new Set<string>();
  private readonly routeMembers = new Map<string, RouteMember | null>();
  /** Circuits of routes by the endpoint of a request. */
  private readonly byEndpoint = new Map<Endpoint, RouteMember | null>();
  private readonly transitionCounts: Record<CircuitState, number> = { closed: 0, "half-open": 0, open: 0 };
  private config: Readonly<CircuitBreakerConfig> | null = null;
  private started: Runtime | null = null;
  private unsubscribe: () => void = () => {};
  private readonly logThrottled = throttledLog();

  /** @param option the `breaker` option of routes */
  constructor(option: Pick<RouteOption<RouteCircuit | false>, "of">) {
    this.option = option;
  }

  configure(config: Readonly<CircuitBreakerConfig>): void {
    this.config = config;
  }

  /** Creates the circuits of routes and subscribes to the other workers' changes. */
  async start(routes: readonly RouteInfo[], shared: SharedState, { log }: AppSettings): Promise<void> {
    this.started = { shared, log };
    for (const route of routes) this.addRoute(route);
    const attachAll = async (): Promise<void> => {
      await Promise.all(this.members.values().map((member) => this.attach(member, shared)));
    };
    this.unsubscribe = shared.values.subscribe(
      PHASES_CHANNEL,
      (message) => {
        const phase = toPhaseMessage(message);
        if (phase !== null) this.members.get(phase.name)?.circuit.receive(phase);
      },
      { onMissed: () => void attachAll() }, // a failed call of the shared store falls back to the local one
    );
    await attachAll();
  }

  stop(): void {
    this.unsubscribe();
  }

  /** Passes a request through the circuit of its route, if it has one. */
  readonly middleware: Middleware<HttpRequest, Response> = (request, next) => {
    const { endpoint } = request;
    if (endpoint === null) return next(request);
    let member = this.byEndpoint.get(endpoint);
    if (member === undefined) {
      member = this.routeMembers.get(routeName(endpoint.method, endpoint.pattern)) ?? null;
      this.byEndpoint.set(endpoint, member);
    }
    return member === null ? next(request) : guardCall(member.circuit, member.policy, request, next);
  };

  /** Returns a middleware that passes each call of an entry point other than routes through a circuit, named by the kind and the call. */
  readonly protect: ProtectEntryPoint = (entry) => {
    const config = this.requireConfig();
    const policy = this.countRejections(entryPolicy(entry, config.failureCodes));
    const named = entry.names.map(
      (name) => [name, this.circuitForCall(`${entry.kind} ${name}`, config)] as const,
    );
    const circuits = new Map(named);
    return function breaker(call, next) {
      const circuit = circuits.get(call.name);
      return circuit === undefined ? next(call) : guardCall(circuit, policy, call, next);
    };
  };

  /** Returns the circuit of a request's route with its settings; `null` if it has none. */
  circuitOf({ endpoint }: HttpRequest): ExplainedCircuit | null {
    const member =
      endpoint === null ? undefined : this.routeMembers.get(routeName(endpoint.method, endpoint.pattern));
    if (member === undefined || member === null) return null;
    const { name, state, failures, retryAfterSecs } = member.circuit;
    const { failureThreshold, halfOpenTarget } = member.config;
    return { name, state, failures, retryAfterSecs, failureThreshold, halfOpenTarget };
  }

  list(): readonly CircuitInfo[] {
    return Array.from(this.members.values(), ({ circuit: { name, state, failures, retryAfterSecs } }) => {
      return { name, state, failures, retryAfterSecs };
    });
  }

  trip(name: string): Promise<void> {
    return markHandled(this.force(name, "open"));
  }

  reset(name: string): Promise<void> {
    return markHandled(this.force(name, "closed"));
  }

  private async force(name: string, state: "open" | "closed"): Promise<void> {
    return this.find(name).force(state);
  }

  around<In, Out>(name: string, options: CallOptions<In, Out> = {}): Middleware<In, Out> {
    const { isFailure: _, isFailingError: _error, fallback: _fallback, ...own } = options;
    const config = CircuitBreakerConfig.of(mergeSettings(this.requireConfig(), own));
    if (this.members.has(name)) {
      throw new FrameworkError("BREAKER_NAME_TAKEN", `a circuit named "${name}" already exists`);
    }
    const member = this.add(name, config);
    this.ownNames.add(name);
    if (this.started !== null) void this.attach(member, this.started.shared);
    const policy = this.countRejections(policyOf(options as BreakerOptions<In, Out>, config.failureCodes));
    return function breaker(input, next) {
      return guardCall(member.circuit, policy, input, next);
    };
  }

  /** Returns the state of each circuit: 0 closed, 1 half-open, 2 open. */
  states(): readonly Sample[] {
    return this.list().map(({ name, state }) => ({ value: level[state], labels: { circuit: name } }));
  }

  /** Returns the number of state changes that this worker has made, by new state. */
  transitions(): readonly Sample[] {
    return Object.entries(this.transitionCounts).map(([to, value]) => ({ value, labels: { to } }));
  }

  private addRoute(route: RouteInfo): void {
    const { method, path, exempt } = route;
    const breaker = this.option.of(route);
    const name = routeName(method, path);
    const isExempt = breaker === false || exempt.includes("limits");
    if (isExempt) return void this.routeMembers.set(name, null);
    const config = this.requireConfig();
    const isShared = config.scope === "app" && breaker === undefined;
    const own = breaker === undefined ? config : mergeSettings(config, breaker);
    this.checkNotOwn(isShared ? "app" : name);
    const member = isShared ? (this.members.get("app") ?? this.add("app", config)) : this.add(name, own);
    const policy = this.countRejections(requestPolicy(own.failureCodes));
    this.routeMembers.set(name, { ...member, policy });
  }

  private circuitForCall(name: string, config: Readonly<CircuitBreakerConfig>): Circuit {
    const isShared = config.scope === "app";
    this.checkNotOwn(isShared ? "app" : name);
    const present = isShared ? this.members.get("app") : undefined;
    if (present !== undefined) return present.circuit;
    const member = this.add(isShared ? "app" : name, config);
    if (this.started !== null) void this.attach(member, this.started.shared);
    return member.circuit;
  }

  /** Rejects the name of a route or call if an earlier `around` has it. @throws BREAKER_NAME_TAKEN */
  private checkNotOwn(name: string): void {
    if (!this.ownNames.has(name)) return;
    const message = `around("${name}") has the name of a circuit of the app's routes or calls; give it another`;
    throw new FrameworkError("BREAKER_NAME_TAKEN", message);
  }

  private add(name: string, config: Readonly<CircuitBreakerConfig>): Member {
    if (this.members.size >= MAX_CIRCUITS) {
      const help = 'use scope: "app", or breaker: false on routes';
      throw new FrameworkError(
        "BREAKER_TOO_MANY_CIRCUITS",
        `an app has at most ${MAX_CIRCUITS} circuits; ${help}`,
      );
    }
    const { failureThreshold, resetTimeout, halfOpenTarget } = config;
    const circuit = new Circuit({
      name,
      failureThreshold,
      halfOpenTarget,
      resetMs: resetTimeout * 1000,
      id: this.id,
      clock: this.requireConfig().clock ?? systemClock,
      store: new LocalCircuitStore(),
      onTransition: (transition) => this.notify(transition),
      onDecision: (to) => this.recordDecision(name, to),
    });
    const member = { circuit, config };
    this.members.set(name, member);
    return member;
  }

  private async attach({ circuit, config }: Member, shared: SharedState): Promise<void> {
    const { halfOpenTarget, resetTimeout } = config;
    const { name } = circuit;
    const onError = (error: unknown): void => this.logFailure(error);
    const resetMs = resetTimeout * 1000;
    await circuit.attach(new SharedCircuitStore({ shared, name, halfOpenTarget, resetMs, onError }));
  }

  private countRejections<In, Out>(policy: FailurePolicy<In, Out>): FailurePolicy<In, Out> {
    return {
      ...policy,
      fallback: (retryAfterSecs, input) => {
        this.rejected++;
        return policy.fallback(retryAfterSecs, input);
      },
    };
  }

  private notify(transition: CircuitTransition): void {
    notifyListener(this.config?.onTransition, transition, (error) => {
      const { name: circuit } = transition;
      this.started?.log.error("onTransition of the circuit breaker failed", { error, circuit });
    });
  }

  /** Counts and logs a change, only in the worker that made it: the metric is summed over all workers. */
  private recordDecision(name: string, to: CircuitState): void {
    this.transitionCounts[to]++;
    const level = to === "open" ? "warn" : "info";
    this.started?.log[level](`circuit "${name}" is ${to}`, { circuit: name, state: to });
  }

  /** Logs at most one failure of the shared state per minute. */
  private logFailure(error: unknown): void {
    const message = "the shared state is unavailable; the circuits of this worker are not shared";
    this.logThrottled(() => this.started?.log.warn(message, { error }));
  }

  private find(name: string): Circuit {
    const member = this.members.get(name);
    if (member !== undefined) return member.circuit;
    this.requireConfig();
    const [near] = nearest(name, [...this.members.keys()]);
    const hint = near === undefined ? "" : `; did you mean "${near}"?`;
    const code = "BREAKER_UNKNOWN_CIRCUIT";
    throw new HttpError(404, `There is no circuit named "${name}"${hint}`, { code });
  }

  private requireConfig(): Readonly<CircuitBreakerConfig> {
    if (this.config !== null) return this.config;
    throw new FrameworkError("BREAKER_NOT_ENABLED", "call enableCircuitBreaker before using app.circuits");
  }
}

const level: Readonly<Record<CircuitState, number>> = { closed: 0, "half-open": 1, open: 2 };

const routeName = (method: string, path: string): string => `${method} ${path}`;
