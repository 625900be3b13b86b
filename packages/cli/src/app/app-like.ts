import type { RouteInfo } from "@framework/core";

/** The members of an app that commands use. The app may have its own copy of core. */
export interface AppLike {
  readonly routes: readonly RouteInfo[];
  start(settings?: object): Promise<unknown>;
  stop(options?: { readonly timeoutSecs?: number }): Promise<void>;
  fetch(request: Request): Promise<Response>;
  snapshot(): Readonly<Record<string, unknown>>;
}

/** Whether a value is an app of any copy of core. */
export const isApp = (value: unknown): value is AppLike =>
  typeof value === "object" &&
  value !== null &&
  ["start", "stop", "fetch", "run", "snapshot"].every(
    (name) => typeof Reflect.get(value, name) === "function",
  );
