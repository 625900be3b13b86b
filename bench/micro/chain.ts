import { compose, mapAwaitable } from "@framework/core/feature";
import type { Handler, Middleware } from "@framework/core";
import { freshValues } from "./inputs.ts";
import { defineCase, type Suite } from "./measure.ts";
import { fastifyHooks, honoCompose, koaCompose } from "./peers.ts";

interface Input {
  count: number;
  /** Read by hono's chain. */
  readonly req: { routeIndex: number };
  readonly finalized: boolean;
  /** Read by fastify's hooks. */
  readonly sent: boolean;
}

const input = (): Input => ({ count: 0, req: { routeIndex: 0 }, finalized: true, sent: false });

const five = <T>(make: () => T): T[] => Array.from({ length: 5 }, make);

const rethrow = (error: unknown): never => {
  throw error;
};

const ours = (middleware: Middleware<Input, Input>, handle: Handler<Input, Input>): Handler<Input, Input> =>
  compose(
    five(() => (request: Input, next: Handler<Input, Input>) => middleware(request, next)),
    handle,
    rethrow,
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

const reply = (request: Input): Input => {
  request.count++;
  return request;
};

const replyAsync = async (request: Input): Promise<Input> => reply(request);

const koa = (step: Step, handle: Step) =>
  koaCompose<Input>([...five((): Step => (context, next) => step(context, next)), handle]);

const hono = (step: Step, handle: Step) =>
  honoCompose<Input>(
    [...five((): Step => (context, next) => step(context, next)), handle].map((run) => [[run]]),
  );

/** Hooks cannot run code after the handler, so they do only the work before it. */
const fastify = (isAsync: boolean) => {
  const hooks = five(() =>
    isAsync
      ? async (request: Input) => void request.count++
      : (request: Input, _reply: Input, done: () => void) => {
          request.count++;
          done();
        },
  );
  return (request: Input): unknown => {
    if (!isAsync) return fastifyHooks(hooks, request, request, () => void reply(request));
    return new Promise<void>((resolve) =>
      fastifyHooks(hooks, request, request, () => resolve(void reply(request))),
    );
  };
};

/** Five middlewares around a handler. */
export const chain: Suite = {
  title: "Chain of five middlewares",
  reference: "ours",
  cases: [
    defineCase({
      name: "sync, before the handler",
      inputs: freshValues(input),
      implementations: {
        ours: ours((request, next) => {
          request.count++;
          return next(request);
        }, reply),
        "koa-compose": koa(before, reply),
        "hono compose": hono(before, reply),
        "fastify hooks": fastify(false),
      },
    }),
    defineCase({
      name: "sync, before and after the handler",
      inputs: freshValues(input),
      implementations: {
        ours: ours((request, next) => {
          request.count++;
          return mapAwaitable(next(request), reply);
        }, reply),
        "koa-compose": koa(around, reply),
        "hono compose": hono(around, reply),
      },
    }),
    defineCase({
      name: "async, before and after the handler",
      inputs: freshValues(input),
      implementations: {
        ours: ours(async (request, next) => {
          request.count++;
          return reply(await next(request));
        }, replyAsync),
        "koa-compose": koa(around, replyAsync),
        "hono compose": hono(around, replyAsync),
        "fastify hooks, before only": fastify(true),
      },
    }),
  ],
};
