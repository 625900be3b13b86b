import { FrameworkError } from "../errors/framework-error.ts";
import { isPromise, toPromise } from "../middleware/middleware.ts";
import { isDependency } from "./dependency-graph.ts";
import { badDependency } from "./dependency-problems.ts";
import type { Token } from "./token.ts";

/**
 * Returns a dependency of the running handler; meant for default arguments: `(request, db = Depends(Db)) => db.all()`.
 *
 * A token carries its type, a name needs a type argument: `Depends<Database>("db")`. A mistake throws at the call; `inject` in the route's options
 * is checked at start.
 *
 * @throws CORE_DEPENDS_OUTSIDE outside a handler call, after its first `await`, or in a factory
 * @throws CORE_BAD_ARGUMENT for a value that is neither a token nor a name
 * @throws CORE_DEPENDS_ASYNC for a dependency whose factory is asynchronous
 * @throws CORE_DEPENDENCY_MISSING with the registered names; the other errors of the dependency's graph and of its factory
 */
export function Depends<T>(dependency: Token<T> | string): T {
  if (!isDependency(dependency)) throw badDependency("Depends", dependency); // `undefined` for a token of a circular import
  const scope = currentScope();
  if (scope === undefined) throw outside(dependency);
  return scope.resolveNow(dependency) as T; // for a name, the caller asserts the type
}

/** Members of a scope that `Depends` uses. */
export interface DependsScope {
  /** Returns the value of a synchronous dependency. */
  resolveNow(dependency: Token<unknown> | string): unknown;
  /** Keeps the values alive until `work` has settled. */
  during(work: unknown): void;
}

/** The owner of a scope, such as a request, which may create it on first access. */
export interface ScopeHolder {
  readonly scope: DependsScope;
}

let current: ScopeHolder | undefined;
let isScopeUsed = false;

/**
 * Calls a handler with `Depends` enabled until the handler's first `await`.
 *
 * The values that the handler resolves live until its returned promise has settled.
 */
export const runWith = <H extends ScopeHolder, D, T>(
  holder: H,
  call: (holder: H, dependencies: D) => T,
  dependencies: D,
): T => {
  const outer = current;
  const outerIsScopeUsed = isScopeUsed;
  current = holder;
  isScopeUsed = dependencies !== undefined;
  let usesScope: boolean;
  let output: T;
  try {
    output = call(holder, dependencies);
  } finally {
    usesScope = isScopeUsed;
    current = outer;
    isScopeUsed = outerIsScopeUsed;
  }
  if (!usesScope || !isPromise(output)) return output;
  const promise = toPromise(output);
  holder.scope.during(promise);
  return promise as T;
};

/** Calls a factory with `Depends` disabled: a factory lists its dependencies in `inject`, where start checks them. */
export const runWithout = <T>(call: () => T): T => {
  const outer = current;
  current = undefined;
  try {
    return call();
  } finally {
    current = outer;
  }
};

/** Returns the scope of the running call; `undefined` outside one. */
const currentScope = (): DependsScope | undefined => {
  if (current === undefined) return undefined;
  isScopeUsed = true;
  return current.scope;
};

const outside = (dependency: Token<unknown> | string): FrameworkError => {
  const name = typeof dependency === "string" ? dependency : dependency.name;
  return new FrameworkError(
    "CORE_DEPENDS_OUTSIDE",
    `Depends("${name}") was called outside a handler call: use it in a default argument or before the handler's first await; ` +
      "a factory lists its dependencies in inject",
  );
};
