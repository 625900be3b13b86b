import { routes } from "../router/routes.ts";

/** Syntax of a router for parameters and wildcards. */
export interface PathSyntax {
  readonly param: (name: string) => string;
  readonly wildcard: (name: string) => string;
}

/** `:name` and `*`. */
export const colonAndStar: PathSyntax = { param: (name) => `:${name}`, wildcard: () => "*" };

/** `:name` and `*name`. */
export const colonAndNamedStar: PathSyntax = { param: (name) => `:${name}`, wildcard: (name) => `*${name}` };

/** A method, named like the functions of routers. */
export type Verb = "get" | "post" | "put" | "delete";

/** Returns the 51 routes that every server has in addition to the routes of the workloads; each replies with its path. */
export const plainRoutes = ({
  param,
  wildcard,
}: PathSyntax): readonly (readonly [verb: Verb, path: string])[] =>
  routes.map(([method, path]) => [
    method.toLowerCase() as Verb,
    path
      .replace(/\{\*(\w+)\}/, (_, name: string) => wildcard(name))
      .replace(/\{(\w+)\}/g, (_, name: string) => param(name)),
  ]);
