import { routes } from "../router/routes.ts";

/** How a router spells parameters and the rest of a path. */
export interface Spelling {
  readonly param: (name: string) => string;
  readonly rest: (name: string) => string;
}

/** `:name`, and `*` for the rest. */
export const colonAndStar: Spelling = { param: (name) => `:${name}`, rest: () => "*" };

/** `:name`, and `*name` for the rest. */
export const colonAndNamedStar: Spelling = { param: (name) => `:${name}`, rest: (name) => `*${name}` };

/** A method in capitals and in the form in which routers name their functions. */
export type Verb = "get" | "post" | "put" | "delete";

/** The 51 routes around those of the comparison; each replies with its path. */
export const plainRoutes = ({ param, rest }: Spelling): readonly (readonly [verb: Verb, path: string])[] =>
  routes.map(([method, path]) => [
    method.toLowerCase() as Verb,
    path
      .replace(/\{\*(\w+)\}/, (_, name: string) => rest(name))
      .replace(/\{(\w+)\}/g, (_, name: string) => param(name)),
  ]);
