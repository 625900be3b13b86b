import { hasBuiltin, nodeBuiltin } from "../runtime/node-builtins.ts";

/** A step of a route's chain, as compiled. */
export interface StepInfo {
  /** Kind of the step. */
  readonly kind: "middleware" | "guard" | "validation" | "handler";
  /** Name of the feature, the guard or the function. */
  readonly name: string;
  /** The feature that added it; `null` for the program and core. */
  readonly feature: string | null;
  /** The stage of a middleware; `null` for a blueprint's, and for other kinds. */
  readonly stage: string | null;
  /** Why the step is not in the chain: `the route has no schemas`. */
  readonly absent?: string;
}

/** A step that a request has reached. */
export interface RequestStep extends StepInfo {
  /** Start in milliseconds of `performance.now()`. */
  readonly startedMs: number;
  /** Milliseconds from its start to its end, with the steps inside it; `null` before its end. */
  readonly durationMs: number | null;
  /** Milliseconds of the steps inside it. */
  readonly innerMs: number;
  /** Whether it called the next step. */
  readonly passedOn: boolean;
  /** Status of the reply that it returned; `null` before its end, and after an error. */
  readonly status: number | null;
  /** Message of the error that it threw; `null` without one. For a failed validation only places and kinds, because messages may quote the input. */
  readonly error: string | null;
  /** Reasons for its decision, as given by its feature. */
  readonly reasons: readonly string[];
}

/** The steps of one request. Steps are added until the reply is complete. */
export interface RequestTrace {
  /** The `HttpRequest`. */
  readonly request: object;
  /** Every step of the route, outermost first, reached or not. */
  readonly chain: readonly StepInfo[];
  /** The reached steps, in the order of their starts. */
  readonly steps: readonly RequestStep[];
}

/** Gives the reasons of a feature's decisions to tools such as `framework explain`. */
export interface DecisionReasons {
  /** Whether a tool listens. Check it before creating a text: without a listener, a decision costs only this check. */
  readonly isObserved: boolean;
  /** Adds a reason to the feature's step of a request: `412 bytes are less than 1024`. Never a secret: no credentials, cookies or bodies. */
  give(request: object, reason: string): void;
}

type Writable<T> = { -readonly [Name in keyof T]: T[Name] };
type OpenStep = Writable<RequestStep> & { readonly reasons: string[] };

interface OpenTrace extends RequestTrace {
  readonly steps: OpenStep[];
}

/** Controls a step that runs. */
export interface StepControl {
  /** Records that it called the next step. */
  passOn(): void;
  /** Adds the time of the steps inside it, from `sinceMs` to now. */
  addInnerTime(sinceMs: number): void;
  /** Adds a reason given by core. */
  explain(reason: string): void;
  end(status: number | null, error: string | null): void;
}

/** Maximum number of recorded steps of a request: middleware may call `next` any number of times. */
const MAX_STEPS = 1000;

/**
 * The steps of an app's requests. Each trace is published on the diagnostics channel `framework.request.steps` when its first step begins, and on
 * `framework.request.answered` when that step has ended.
 */
export class RequestTraces {
  private readonly channel: Channel = channelOf("framework.request.steps");
  private readonly answered: Channel = channelOf("framework.request.answered");
  /** Keyed by the context of the request, which is shared by copies of the request, such as the copy that a cache passes to a handler. */
  private readonly open: WeakMap<object, OpenTrace> = new WeakMap();
  /** Number of traced steps in progress; at 0, no request in progress is traced. */
  private running = 0;
  private isEnabled = false;
  /** The chains compiled with tracing, by method and path of the route. */
  private readonly chains: Map<string, readonly StepInfo[]> = new Map();

  /** Whether a tool subscribes to the channel. */
  get isObserved(): boolean {
    return this.channel.hasSubscribers;
  }

  /** Whether chains are compiled with tracing: a tool listens, or may start to listen later. */
  get isWanted(): boolean {
    return this.isEnabled || this.isObserved;
  }

  /** Enables tracing in compiled chains, for a tool that listens after the start. */
  enable(): void {
    this.isEnabled = true;
  }

  /** Registers the chain of a route that is being compiled. */
  addChain(route: string, chain: readonly StepInfo[]): void {
    this.chains.set(route, chain);
  }

  /** Returns the steps of a route, such as `GET /books/{id}`, outermost first; empty without tracing. */
  chainOf(route: string): readonly StepInfo[] {
    return this.chains.get(route) ?? [];
  }

  /** Whether a step of a request is recorded: the first one while a tool listens, the others if the first one was. */
  records(request: object, isFirst: boolean): boolean {
    return isFirst ? this.channel.hasSubscribers : this.running > 0 && this.open.has(contextOf(request));
  }

  /** Begins a step; the first of a request publishes its trace. */
  begin(request: object, chain: readonly StepInfo[], info: StepInfo): StepControl {
    const step: OpenStep = {
      ...info,
      startedMs: performance.now(),
      durationMs: null,
      innerMs: 0,
      passedOn: false,
      status: null,
      error: null,
      reasons: [],
    };
    const trace = this.traceOf(request, chain);
    const { steps } = trace;
    if (steps.length < MAX_STEPS) steps.push(step);
    this.running++;
    return {
      passOn: () => void (step.passedOn = true),
      addInnerTime: (sinceMs) => void (step.innerMs += performance.now() - sinceMs),
      explain: (reason) => void step.reasons.push(reason),
      end: (status, error) => {
        step.durationMs = performance.now() - step.startedMs;
        step.status = status;
        step.error = error;
        this.running--;
        if (step === steps[0]) this.answered.publish(trace);
      },
    };
  }

  /** Returns the reasons of one feature. @param feature `null` for the middleware of the program, such as an authentication */
  reasonsOf(feature: string | null): DecisionReasons {
    const { channel, open } = this;
    return {
      get isObserved() {
        return channel.hasSubscribers;
      },
      give: (request, reason) =>
        void open
          .get(contextOf(request))
          ?.steps.findLast(
            (step) => step.feature === feature && (feature !== null || step.kind === "middleware"),
          )
          ?.reasons.push(reason),
    };
  }

  private traceOf(request: object, chain: readonly StepInfo[]): OpenTrace {
    const known = this.open.get(contextOf(request));
    if (known !== undefined) return known;
    const trace: OpenTrace = { request, chain, steps: [] };
    this.open.set(contextOf(request), trace);
    this.channel.publish(trace);
    return trace;
  }
}

const contextOf = (request: object): object => (request as { readonly context?: object }).context ?? request;

type Channel = Pick<
  ReturnType<typeof import("node:diagnostics_channel").channel>,
  "hasSubscribers" | "publish"
>;

const channelOf = (name: string): Channel =>
  hasBuiltin("node:diagnostics_channel")
    ? nodeBuiltin("node:diagnostics_channel").channel(name)
    : { hasSubscribers: false, publish: () => {} };
