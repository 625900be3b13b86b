/** Parts of other frameworks: internal modules that their packages do not export, and dependencies, in the versions that these frameworks use. */
import { createRequire } from "node:module";

/** `koa-compose`, a dependency of koa. */
export type KoaCompose = <C>(
  chain: readonly ((context: C, next: () => Promise<void>) => unknown)[],
) => (context: C) => Promise<void>;

/** hono's `compose`. */
export type HonoCompose = <C>(
  chain: readonly (readonly [readonly [(context: C, next: () => Promise<C>) => unknown]])[],
) => (context: C) => Promise<C>;

/** The runner of fastify's `onRequest` hooks. */
export type FastifyHooks = <Q, P>(
  hooks: readonly ((request: Q, reply: P, done: () => void) => unknown)[],
  request: Q,
  reply: P,
  done: (error: unknown) => void,
) => void;

const requireOf = (name: string): NodeJS.Require => createRequire(import.meta.resolve(name));

export const koaCompose = requireOf("koa")("koa-compose") as KoaCompose;

export const { compose: honoCompose } = (await import(
  new URL("compose.js", import.meta.resolve("hono")).href
)) as { readonly compose: HonoCompose };

export const { onRequestHookRunner: fastifyHooks } = requireOf("fastify")("./lib/hooks.js") as {
  readonly onRequestHookRunner: FastifyHooks;
};

/** The cookie parser of express: `cookie`. */
export const expressCookie = requireOf("express")("cookie") as {
  readonly parse: (text: string) => Record<string, string | undefined>;
};

/** The JSON parser of fastify: `secure-json-parse`. */
export const fastifyJson = requireOf("fastify")("secure-json-parse") as {
  readonly parse: (text: string) => unknown;
};
