import type { Problem } from "../errors/configuration-error.ts";
import type { Definition } from "./definition.ts";
import { captiveDependency, cycle, notADependency } from "./dependency-problems.ts";
import type { Injections, Token } from "./token.ts";

/** The injections of one place in the program. */
export interface InjectionPlace {
  /** Label of the place in messages, such as `GET /users`. */
  readonly place: string;
  readonly inject: Injections;
}

/** Returns the definition of a dependency, or the problem if there is none. */
export type Lookup = (dependency: Token<unknown> | string) => Definition | Problem;

/** Whether a lookup returned a problem. */
export const isProblem = (found: Definition | Problem): found is Problem => "code" in found;

/** Returns every mistake in the direct and transitive dependencies of the places; each once, with the path to it. */
export const placeProblems = (places: Iterable<InjectionPlace>, lookup: Lookup): Problem[] => {
  const walk = createWalk(lookup);
  const all = [...places].map(({ place, inject }) => ({ place, inject: toInjections(inject) }));
  for (const { inject } of all) lookUpAll(inject, lookup);
  for (const { place, inject } of all) walk.visit(inject, [place], []);
  return [...walk.problems.values()];
};

/** Untyped programs can pass anything: a value that is not an object is reported as one wrong injection. */
const toInjections = (inject: Injections): Injections =>
  typeof inject === "object" && inject !== null ? inject : { inject };

/** Returns every mistake in the dependencies of one definition. */
export const definitionProblems = (definition: Definition, lookup: Lookup): Problem[] => {
  const walk = createWalk(lookup);
  lookUpAll(definition.inject, lookup);
  walk.visit(definition.inject, [definition.name], [definition]);
  return [...walk.problems.values()];
};

/** Looks up every reachable token first, so that a string name also finds a token that appears later. */
const lookUpAll = (inject: Injections, lookup: Lookup, seen: Set<Token<unknown>> = new Set()): void => {
  for (const dependency of Object.values(inject)) {
    if (typeof dependency === "string" || !isDependency(dependency) || seen.has(dependency)) continue;
    seen.add(dependency);
    lookup(dependency);
    lookUpAll(dependency.inject, lookup, seen);
  }
};

interface Walk {
  /** One entry per mistake, so that a mistake that affects many places is reported once. */
  readonly problems: Map<string, Problem>;
  /** Follows injections; `open` holds the definitions on the current path, outermost first. */
  visit(inject: Injections, path: readonly string[], open: readonly Definition[]): void;
}

const createWalk = (lookup: Lookup): Walk => {
  const problems = new Map<string, Problem>();
  const visited = new Set<Definition>();
  const report = (key: string, problem: Problem): void => {
    if (!problems.has(key)) problems.set(key, problem);
  };
  const checkScope = (owner: Definition | undefined, found: Definition): void => {
    const captive = owner?.scope === "singleton" ? pathToInvocation(found, lookup) : undefined;
    if (owner === undefined || captive === undefined) return;
    const path = [owner.name, ...captive];
    report(`scope ${path.join()}`, captiveDependency(path));
  };
  const visit: Walk["visit"] = (inject, path, open) => {
    for (const [argument, dependency] of Object.entries(inject)) {
      if (!isDependency(dependency)) {
        const problem = notADependency([...path, argument], dependency);
        report(problem.message, problem);
        continue;
      }
      const found = lookup(dependency);
      const names = [...path, nameOf(dependency)];
      if (isProblem(found)) {
        const message = `${names.join(" → ")}: ${found.message}`;
        report(`${found.code} ${nameOf(dependency)}`, { code: found.code, message });
        continue;
      }
      checkScope(open.at(-1), found);
      if (open.includes(found)) {
        const loop = [...open.slice(open.indexOf(found)), found].map(({ name }) => name);
        report(`cycle ${loop.slice(1).toSorted().join()}`, cycle(loop));
      } else if (!visited.has(found)) {
        visit(found.inject, names, [...open, found]);
        visited.add(found);
      }
    }
  };
  return { problems, visit };
};

/** Returns the names from a definition to one of scope `invocation`, through transient ones only. */
const pathToInvocation = (
  definition: Definition,
  lookup: Lookup,
  open: readonly Definition[] = [],
): string[] | undefined => {
  if (definition.scope === "invocation") return [definition.name];
  if (definition.scope === "singleton" || open.includes(definition)) return undefined;
  for (const dependency of Object.values(definition.inject)) {
    if (!isDependency(dependency)) continue; // reported where its definition is visited
    const found = lookup(dependency);
    const rest = isProblem(found) ? undefined : pathToInvocation(found, lookup, [...open, definition]);
    if (rest !== undefined) return [definition.name, ...rest];
  }
  return undefined;
};

/** Whether a value is a token or a name: untyped programs can inject anything. */
export const isDependency = (value: unknown): value is Token<unknown> | string =>
  typeof value === "string" ||
  (typeof value === "object" && value !== null && "name" in value && "inject" in value);

/** Returns the name of a dependency in either form. */
export const nameOf = (dependency: Token<unknown> | string): string =>
  typeof dependency === "string" ? dependency : dependency.name;
