import { guardName } from "../guards/evaluate-guards.ts";
import type { Guard } from "../guards/guard.ts";
import type { RequestTraces, StepInfo } from "../insight/request-steps.ts";
import { ValidationError } from "../errors/http-errors.ts";
import { toError } from "../errors/to-error.ts";
import { textOf } from "../log/value-text.ts";
import { explainingVariantOf } from "../middleware/explained-by.ts";
import { type Handler, isPromise, type Middleware } from "../middleware/middleware.ts";
import type { HttpRequest } from "../request/http-request.ts";
import type { Response } from "../response/response.ts";
import { middlewareName } from "./middleware-name.ts";
import type { MiddlewareLabels } from "./middleware-labels.ts";

type HttpMiddleware = Middleware<HttpRequest, Response>;
type HttpHandler = Handler<HttpRequest, Response>;

/** Makes the levels of one chain report when they run. */
export interface ChainTracer {
  /** @param original the middleware that `middleware` wraps, whose label and name it reports */
  middleware(middleware: HttpMiddleware, original?: HttpMiddleware): HttpMiddleware;
  guards(
    guards: readonly Guard<HttpRequest>[],
    verify: (guards: readonly Guard<HttpRequest>[]) => HttpMiddleware,
  ): readonly HttpMiddleware[];
  /** @param validate wraps the handler in the validation of its input; without schemas it returns the handler itself */
  innermost(
    described: TracedHandler,
    handler: HttpHandler,
    validate?: (next: HttpHandler) => HttpHandler,
  ): HttpHandler;
}

/** Description of a handler in a trace. */
export interface TracedHandler {
  readonly name: string;
  /** The feature that added the route; `null` for the program and core. */
  readonly feature?: string | null;
  /** The parts of the request that have schemas. */
  readonly checked?: readonly string[];
}

/** Compiles a chain. @param route method and path of the route; `null` for unmatched requests */
export type CompileChain = (
  route: string | null,
  compile: (tracer: ChainTracer) => HttpHandler,
) => HttpHandler;

/**
 * Returns the function that compiles chains, by default without tracing. If debug is on, and a tool listens at start or has announced that it may, each chain is
 * compiled twice: without and with tracing, so that a request without a listener costs one check instead of one per level.
 */
export const traceSteps = (
  traces: RequestTraces,
  labels: MiddlewareLabels,
  { debug }: { readonly debug: boolean },
): CompileChain => {
  if (!debug || !traces.isWanted) return (_route, compile) => compile(untraced);
  return (route, compile) => {
    const plain = compile(untraced);
    const traced = compile(chainTracer(traces, labels, route));
    return (request) => (traces.isObserved ? traced(request) : plain(request));
  };
};

const untraced: ChainTracer = {
  middleware: (middleware) => middleware,
  guards: (guards, verify) => (guards.length > 0 ? [verify(guards)] : []),
  innermost: (_described, handler, validate = same) => validate(handler),
};

const chainTracer = (traces: RequestTraces, labels: MiddlewareLabels, route: string | null): ChainTracer => {
  const chain: StepInfo[] = [];
  if (route !== null) traces.addChain(route, chain);
  const traceStep = (info: StepInfo, middleware: HttpMiddleware, why?: string): HttpMiddleware => {
    const isFirst = chain.every(({ absent }) => absent !== undefined);
    chain.push(info);
    return (request, next) => {
      if (!traces.records(request, isFirst)) return middleware(request, next);
      const step = traces.begin(request, chain, info);
      const inside: HttpHandler = (input) => {
        step.passOn();
        if (why !== undefined) step.explain(why);
        const since = performance.now();
        const output = next(input);
        if (isPromise(output)) return output.finally(() => step.addInnerTime(since));
        step.addInnerTime(since);
        return output;
      };
      const end = (reply: Response): Response => {
        step.end(reply.status, null);
        return reply;
      };
      const fail = (error: unknown): never => {
        step.end(null, messageOf(error));
        throw error;
      };
      try {
        const output = middleware(request, inside);
        return isPromise(output) ? output.then(end, fail) : end(output);
      } catch (error) {
        return fail(error);
      }
    };
  };
  const core = { feature: null, stage: null };
  const absent = (kind: StepInfo["kind"], reason: string): void =>
    void chain.push({ kind, name: kind, ...core, absent: reason });
  return {
    middleware: (middleware, original = middleware) => {
      const { feature, stage } = labels.get(original) ?? core;
      const info: StepInfo = { kind: "middleware", name: feature ?? nameOf(original), feature, stage };
      return traceStep(info, explainingVariantOf(middleware));
    },
    guards: (guards, verify) => {
      if (guards.length === 0) absent("guard", "the route has no guards");
      return guards.map((guard) =>
        traceStep({ kind: "guard", name: guardName(guard), ...core }, verify([guard])),
      );
    },
    innermost: ({ name, feature = null, checked = [] }, handler, validate) => {
      const info: StepInfo = { kind: "handler", name, feature, stage: null };
      const call = (): HttpHandler => {
        const tracedCall = traceStep(info, (request) => handler(request));
        return (request) => tracedCall(request, handler);
      };
      if (validate === undefined) return call();
      if (validate(handler) === handler) {
        absent("validation", "the route has no schemas");
        return call();
      }
      const tracedValidation = traceStep(
        { kind: "validation", name: "validation", ...core },
        (request, next) => validate(next)(request),
        checked.length === 1
          ? `${checked[0]} matches its schema`
          : `${checked.join(" and ")} match their schemas`,
      );
      const tracedHandler = call();
      return (request) => tracedValidation(request, tracedHandler);
    },
  };
};

/** Describes an error without the schema's own message, which may quote client input, such as a password. */
const messageOf = (thrown: unknown): string => {
  const error = toError(thrown);
  if (!(error instanceof ValidationError)) return textOf(error.message);
  const shown = error.issues.slice(0, MAX_SHOWN_ISSUES).map(({ loc, type, expected, received }) => {
    const wanted = expected === undefined ? "" : `, expected ${expected}`;
    return `${loc.join(".")}: ${type}${wanted}${received === undefined ? "" : `, received ${received}`}`;
  });
  const more = error.issues.length - shown.length;
  return `${shown.join("; ")}${more > 0 ? ` (and ${more} more)` : ""}`;
};

const MAX_SHOWN_ISSUES = 5;

const same = <T>(value: T): T => value;

const nameOf = (middleware: HttpMiddleware): string => {
  const name = middlewareName(middleware);
  return name === "" ? "middleware" : name;
};
