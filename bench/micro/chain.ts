import { compose, mapAwaitable } from "@framework/core/feature";
import type { Handler, Middleware } from "@framework/core";
import { freshValues } from "./inputs.ts";
import { defineCase, type Suite } from "./measure.ts";
import { fastifyHooks, honoCompose, koaCompose } from "./peers.ts";

interface Input {
  count: number;
  /** What hono's chain looks at. */
  readonly req: { routeIndex: number };
  readonly finalized: boolean;
  /** What fastify's hooks look at. */
  readonly sent: boolean;
}

const input = (): Input => ({ count: 0, req: { routeIndex: 0 }, finalized: true, sent: false });

const five = <T>(make: () => T): T[] => Array.from({ length: 5 }, make);

const never = (error: unknown): never => {
  throw error;
};

const ours = (middleware: Middleware<Input, Input>, handle: Handler<Input, Input>): Handler<Input, Input> =>
  compose(
    five(() => (request: Input, next: Handler<Input, Input>) => middleware(request, next)),
    handle,
    never,
  );

type Step = (context: Input, next: () => Promise<unknown>) => unknown;

const before: Step = (context, next) => {
  context.count++;
  return next();
};

const around: Step = async (context, next) => {
  context.count++;
  await next();
  context.count++;
};

const answer = (request: Input): Input => {
  request.count++;
  return request;
};

const answerLater = async (request: Input): Promise<Input> => answer(request);

const koa = (step: Step, handle: Step) =>
  koaCompose<Input>([...five((): Step => (context, next) => step(context, next)), handle]);

const hono = (step: Step, handle: Step) =>
  honoCompose<Input>(
    [...five((): Step => (context, next) => step(context, next)), handle].map((run) => [[run]]),
  );

/** Hooks have no way back: they do only what comes before the handler. */
const fastify = (async: boolean) => {
  const hooks = five(() =>
    async
      ? async (request: Input) => void request.count++
      : (request: Input, _reply: Input, done: () => void) => {
          request.count++;
          done();
        },
  );
  return (request: Input): unknown => {
    if (!async) return fastifyHooks(hooks, request, request, () => void answer(request));
    return new Promise<void>((resolve) =>
      fastifyHooks(hooks, request, request, () => resolve(void answer(request))),
    );
  };
};

/** Five middlewares around a handler. */
export const chain: Suite = {
  title: "Chain of five middlewares",
  reference: "ours",
  cases: [
    defineCase({
      name: "sync, on the way in",
      inputs: freshValues(input),
      ways: {
        ours: ours((request, next) => {
          request.count++;
          return next(request);
        }, answer),
        "koa-compose": koa(before, answer),
        "hono compose": hono(before, answer),
        "fastify hooks": fastify(false),
      },
    }),
    defineCase({
      name: "sync, both ways",
      inputs: freshValues(input),
      ways: {
        ours: ours((request, next) => {
          request.count++;
          return mapAwaitable(next(request), answer);
        }, answer),
        "koa-compose": koa(around, answer),
        "hono compose": hono(around, answer),
      },
    }),
    defineCase({
      name: "async, both ways",
      inputs: freshValues(input),
      ways: {
        ours: ours(async (request, next) => {
          request.count++;
          return answer(await next(request));
        }, answerLater),
        "koa-compose": koa(around, answerLater),
        "hono compose": hono(around, answerLater),
        "fastify hooks, in only": fastify(true),
      },
    }),
  ],
};
