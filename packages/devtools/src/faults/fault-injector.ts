import { type Awaitable, HttpError, type HttpRequest, type Middleware, type Response } from "@framework/core";
import {
  BodyStream,
  type HostInsight,
  mapAwaitable,
  type OperationListener,
  payloadLength,
} from "@framework/core/feature";
import { matches, type FaultRule } from "./fault-rule.ts";
import { seededRandom } from "./seeded-random.ts";
import { slowChunks } from "./slow-chunks.ts";

/** A rule with the number of calls that it has changed in this process. */
export interface CountedRule {
  readonly rule: FaultRule;
  hits: number;
}

/** Options of a fault injector. */
export interface FaultInjectorOptions {
  readonly seed: number;
  /** Resolves after `ms` milliseconds, or earlier when the signal aborts. */
  readonly pause: (ms: number, signal?: AbortSignal) => Promise<void>;
}

/** Requests are changed by the middleware; outgoing HTTP calls are only observed, through diagnostics channels. */
const isUnaffected = (kind: string, role: string): boolean =>
  (kind === "http" && role === "server") || kind === "http.client";

/**
 * Injects faults into requests and calls of dependencies. Without rules, a request costs one check, and calls of dependencies cost nothing.
 *
 * Which calls fail is determined by the seed and their order; every change of the rules resets the random numbers.
 */
export class FaultInjector {
  private readonly options: FaultInjectorOptions;
  private readonly insight: Pick<HostInsight, "onOperation" | "reasons">;
  private rules: readonly CountedRule[] = [];
  private ofRoutes: readonly CountedRule[] = [];
  private random: () => number;
  private unlisten: () => void = () => {};

  constructor(insight: Pick<HostInsight, "onOperation" | "reasons">, options: FaultInjectorOptions) {
    this.insight = insight;
    this.options = options;
    this.random = seededRandom(options.seed);
  }

  /** The active rules. */
  get current(): readonly CountedRule[] {
    return this.rules;
  }

  /** Replaces the active rules. */
  set(rules: readonly FaultRule[]): void {
    this.unlisten();
    this.random = seededRandom(this.options.seed);
    this.rules = rules.map((rule) => ({ rule, hits: 0 }));
    this.ofRoutes = this.rules.filter(({ rule }) => rule.on === "route");
    const ofCalls = this.rules.filter(({ rule }) => rule.on === "dependency");
    this.unlisten = ofCalls.length === 0 ? () => {} : this.insight.onOperation(this.listener(ofCalls));
  }

  /** Applies faults to requests of matching routes. */
  get middleware(): Middleware<HttpRequest, Response> {
    return (request, next) => (this.ofRoutes.length === 0 ? next(request) : this.request(request, next));
  }

  private request(
    request: HttpRequest,
    next: (input: HttpRequest) => Awaitable<Response>,
  ): Awaitable<Response> {
    const due = this.due(this.ofRoutes, `${request.method} ${request.route ?? request.path}`);
    if (due.length === 0) return next(request);
    const { reasons } = this.insight;
    if (reasons.isObserved)
      for (const rule of due) reasons.give(request, `injected fault: ${describeRule(rule)}`);
    const reply = this.work(due, () => next(request), request.signal);
    const slow = due.find(({ fault }) => fault === "slow-body");
    return slow === undefined ? reply : mapAwaitable(reply, (whole) => this.slowDown(whole, slow));
  }

  private slowDown(reply: Response, { ms = 1000 }: FaultRule): Response {
    const { payload } = reply;
    if (payload === null) return reply;
    reply.payload = new BodyStream(
      slowChunks(payload, () => this.options.pause(ms)),
      payloadLength(payload),
    );
    return reply;
  }

  private listener(rules: readonly CountedRule[]): OperationListener<readonly FaultRule[]> {
    return {
      start: ({ kind, role, name }) =>
        isUnaffected(kind, role) ? [] : this.due(rules, kind, `${kind} ${name}`),
      store: {
        // The emitters of operations await the result, so it may be a promise.
        run: <T>(due: readonly FaultRule[], work: () => T): T =>
          this.work(due, work as () => Awaitable<T>) as T,
      },
    };
  }

  /** Runs work with the given faults. */
  private work<T>(due: readonly FaultRule[], work: () => Awaitable<T>, signal?: AbortSignal): Awaitable<T> {
    return due.reduceRight<() => Awaitable<T>>((inner, rule) => {
      const { fault, ms = 1000, status = 503 } = rule;
      const fail = (): never => {
        throw new HttpError(status, `Injected fault: ${describeRule(rule)}`, {
          code: "DEVTOOLS_FAULT",
        });
      };
      switch (fault) {
        case "latency":
          return () => this.options.pause(ms, signal).then(inner);
        case "dead":
          return () => this.options.pause(ms, signal).then(fail);
        case "error":
          return fail;
        case "duplicate":
          return () => mapAwaitable(inner(), inner);
        case "slow-body":
          return inner;
      }
    }, work)();
  }

  private due(rules: readonly CountedRule[], ...names: readonly string[]): readonly FaultRule[] {
    return rules
      .filter(({ rule }) => names.some((name) => matches(rule, name)))
      .filter((counted) => {
        const isHit = this.random() < (counted.rule.probability ?? 1);
        if (isHit) counted.hits++;
        return isHit;
      })
      .map(({ rule }) => rule);
  }
}

const describeRule = ({ fault, ms = 1000, status = 503 }: FaultRule): string => {
  if (fault === "error") return `error ${status}`;
  if (fault === "dead") return `${ms} ms, then error ${status}`;
  return fault === "duplicate" ? fault : `${fault} of ${ms} ms`;
};
