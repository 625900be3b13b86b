import type { Problem } from "../errors/configuration-error.ts";
import { FrameworkError } from "../errors/framework-error.ts";
import { nearest } from "../errors/nearest.ts";

/** Names listed in a message at most. */
const MAX_NAMES = 50;

/** What is wrong with a name that nobody defined. */
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

/** A second registration of a name. */
export const duplicate = (name: string): Problem => ({
  code: "CORE_DEPENDENCY_DUPLICATE",
  message: `the dependency "${name}" is registered twice; a name stands for one`,
});

/** Two tokens at odds over a name. */
export const twoTokens = (name: string): Problem => ({
  code: "CORE_DEPENDENCY_DUPLICATE",
  message: `two tokens have the name "${name}", one of them with a factory of its own; rename one`,
});

/** Definitions that need each other: the names from one of them round to itself. */
export const cycle = (circle: readonly string[]): Problem => ({
  code: "CORE_DEPENDENCY_CYCLE",
  message: `dependencies need each other: ${circle.join(" → ")}; one of them must do without`,
});

/** A singleton that is made from a value of one invocation: the names from the one to the other. */
export const outlives = (path: readonly string[]): Problem => {
  const [name, captive] = [path[0], path.at(-1)];
  const message =
    `${path.join(" → ")}: the singleton "${name}" would outlive "${captive}" of scope invocation; ` +
    `give "${name}" the scope invocation too, or pass what it needs to its methods`;
  return { code: "CORE_DEPENDENCY_SCOPE", message };
};

/** The error of `Depends` for a dependency whose factory is asynchronous. */
export const asynchronous = (name: string): FrameworkError =>
  new FrameworkError(
    "CORE_DEPENDS_ASYNC",
    `Depends("${name}") cannot wait for an asynchronous factory; name the dependency in inject of the handler's options instead`,
  );
