import { hasBuiltin, nodeBuiltin } from "./node-builtins.ts";

/** Runs work in an asynchronous context: every `AsyncLocalStorage` has its value from that context. */
export type InContext = <T>(work: () => T) => T;

/** Returns a function that runs work in the asynchronous context of this call; on a runtime without asynchronous contexts it only calls the work. */
export const currentContext = (): InContext =>
  hasBuiltin("node:async_hooks") ? nodeBuiltin("node:async_hooks").AsyncLocalStorage.snapshot() : directly;

const directly: InContext = (work) => work();
