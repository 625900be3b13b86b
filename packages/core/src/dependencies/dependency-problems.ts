import { describeValue } from "../config/wrong-value.ts";
import type { Problem } from "../errors/configuration-error.ts";
import { FrameworkError } from "../errors/framework-error.ts";
import { nearest } from "../errors/nearest.ts";

/** Maximum number of names in a message. */
const MAX_NAMES = 50;

/** The problem of an undefined name. */
export const missing = (name: string, known: readonly string[]): Problem => {
  const near = nearest(name, known).map((candidate) => `"${candidate}"`);
  const hint = near.length === 0 ? "" : ` did you mean ${near.join(" or ")}?`;
  const rest = known.length > MAX_NAMES ? ` and ${known.length - MAX_NAMES} more` : "";
  const list = known.length === 0 ? "none" : known.slice(0, MAX_NAMES).join(", ") + rest;
  return {
    code: "CORE_DEPENDENCY_MISSING",
    message: `no dependency is named "${name}";${hint} registered: ${list}`,
  };
};

/** The problem of an injected value that is not a dependency. @param path names from the place to the value */
export const notADependency = (path: readonly string[], value: unknown): Problem => ({
  code: "CORE_BAD_ARGUMENT",
  message: `${path.join(" → ")}: a dependency must be a token, such as dependency("db"), or its name, not ${describeValue(value)}`,
});

/** The error of a function, such as `override`, for a value that is not a dependency. */
export const badDependency = (call: string, value: unknown): FrameworkError => {
  const { code, message } = notADependency([call], value);
  return new FrameworkError(code, message);
};

/** The problem of a name that is registered twice. */
export const duplicate = (name: string): Problem => ({
  code: "CORE_DEPENDENCY_DUPLICATE",
  message: `the dependency "${name}" is registered twice; rename one`,
});

/** The problem of two tokens with one name. */
export const twoTokens = (name: string): Problem => ({
  code: "CORE_DEPENDENCY_DUPLICATE",
  message: `two tokens have the name "${name}", one of them with its own factory; rename one`,
});

/** The problem of a dependency cycle. @param names from one definition back to itself */
export const cycle = (names: readonly string[]): Problem => ({
  code: "CORE_DEPENDENCY_CYCLE",
  message: `circular dependency: ${names.join(" → ")}; remove one of these injections`,
});

/** The problem of a singleton that depends on a value of one invocation. @param path names from the singleton to the value */
export const captiveDependency = (path: readonly string[]): Problem => {
  const [name, captive] = [path[0], path.at(-1)];
  const message =
    `${path.join(" → ")}: the singleton "${name}" would outlive "${captive}" of scope invocation; ` +
    `also give "${name}" the scope invocation, or pass the value to its methods`;
  return { code: "CORE_DEPENDENCY_SCOPE", message };
};

/** The error of `Depends` for a dependency whose factory is asynchronous. */
export const asynchronous = (name: string): FrameworkError =>
  new FrameworkError(
    "CORE_DEPENDS_ASYNC",
    `Depends("${name}") cannot wait for an asynchronous factory; name the dependency in inject of the handler's options instead`,
  );
