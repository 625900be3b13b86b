import { hasBuiltin, nodeBuiltin } from "../runtime/node-builtins.ts";

/** A step of a route's chain, as compiled. */
export interface StepInfo {
  /** What runs there. */
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
  /** Message of the error that it threw; `null` without one. Of a failed validation the places and kinds, since messages may quote what was sent. */
  readonly error: string | null;
  /** Why it did what it did, in the words of its feature. */
  readonly reasons: readonly string[];
}

/** The steps of one request. The object grows until the request is answered. */
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
  /** Whether a tool listens. Check it before making a text: without a listener, a decision costs this check. */
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
  /** Runs the steps inside it. */
  passOn(): void;
  /** Ends the time of the steps inside it. */
  returned(sinceMs: number): void;
  /** Adds a reason of core itself. */
  explain(reason: string): void;
  end(status: number | null, error: string | null): void;
}

/** Most steps that are recorded of one request: middleware may call `next` again and again. */
const MOST_STEPS = 1000;

/** The steps of an app's requests, published on the diagnostics channel `framework.request.steps` once per request. */
export class RequestTraces {
  private readonly channel: Channel = stepChannel();
  private readonly open: WeakMap<object, OpenTrace> = new WeakMap();

  /** Whether a tool subscribes to the channel. */
  get isObserved(): boolean {
    return this.channel.hasSubscribers;
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
    const { steps } = this.traceOf(request, chain);
    if (steps.length < MOST_STEPS) steps.push(step);
    return {
      passOn: () => void (step.passedOn = true),
      returned: (sinceMs) => void (step.innerMs += performance.now() - sinceMs),
      explain: (reason) => void step.reasons.push(reason),
      end: (status, error) => {
        step.durationMs = performance.now() - step.startedMs;
        step.status = status;
        step.error = error;
      },
    };
  }

  /** Returns the reasons of one feature; `null` for the middleware of the program, such as an authentication. */
  reasonsOf(feature: string | null): DecisionReasons {
    const { channel, open } = this;
    return {
      get isObserved() {
        return channel.hasSubscribers;
      },
      give: (request, reason) =>
        void open
          .get(request)
          ?.steps.findLast(
            (step) => step.feature === feature && (feature !== null || step.kind === "middleware"),
          )
          ?.reasons.push(reason),
    };
  }

  private traceOf(request: object, chain: readonly StepInfo[]): OpenTrace {
    const known = this.open.get(request);
    if (known !== undefined) return known;
    const trace: OpenTrace = { request, chain, steps: [] };
    this.open.set(request, trace);
    this.channel.publish(trace);
    return trace;
  }
}

type Channel = Pick<
  ReturnType<typeof import("node:diagnostics_channel").channel>,
  "hasSubscribers" | "publish"
>;

const stepChannel = (): Channel =>
  hasBuiltin("node:diagnostics_channel")
    ? nodeBuiltin("node:diagnostics_channel").channel("framework.request.steps")
    : { hasSubscribers: false, publish: () => {} };
