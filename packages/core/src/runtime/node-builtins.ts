import { FrameworkError } from "../errors/framework-error.ts";

/** The Node modules that core loads for features that only Node supports. */
export interface NodeBuiltins {
  readonly "node:async_hooks": typeof import("node:async_hooks");
  readonly "node:diagnostics_channel": typeof import("node:diagnostics_channel");
  readonly "node:crypto": typeof import("node:crypto");
  readonly "node:fs": typeof import("node:fs");
  readonly "node:fs/promises": typeof import("node:fs/promises");
  readonly "node:os": typeof import("node:os");
  readonly "node:path": typeof import("node:path");
  readonly "node:stream": typeof import("node:stream");
  readonly "node:url": typeof import("node:url");
  readonly "node:zlib": typeof import("node:zlib");
}

const find = (name: string): unknown =>
  (globalThis as { process?: Partial<NodeJS.Process> }).process?.getBuiltinModule?.(name);

/** Whether this runtime has a Node module. */
export const hasBuiltin = (name: keyof NodeBuiltins): boolean => find(name) !== undefined;

/**
 * Returns a Node module, loaded on first use instead of imported, so that programs which do not need it run on any runtime.
 *
 * @throws CORE_NEEDS_NODE on a runtime without the module
 */
export const nodeBuiltin = <Name extends keyof NodeBuiltins>(name: Name): NodeBuiltins[Name] => {
  const module = find(name);
  if (module !== undefined) return module as NodeBuiltins[Name];
  throw new FrameworkError(
    "CORE_NEEDS_NODE",
    `this feature needs ${name}, which this runtime does not have; run the program on Node 24 or newer`,
  );
};
