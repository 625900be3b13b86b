import { Blueprint as CoreBlueprint } from "@framework/core";
import type { InstalledRoutes } from "@framework/core/feature";
import type { App } from "./app.ts";
import { features } from "./features.ts";

/** A group of routes with the route options of every feature, and `websocket`; its handlers see the `App` with every feature. */
export type Blueprint<Prefix extends string = string> = CoreBlueprint<Prefix, App> &
  InstalledRoutes<typeof features>;

/**
 * Creates a group of routes with the route options of every feature, and `websocket`.
 *
 * @example
 * const v1 = new Blueprint("/v1", { deprecated: "2026-11-01" });
 * v1.get("/books", { cache: { ttl: 60 } }, () => []);
 */
export const Blueprint = CoreBlueprint.with(...features);
