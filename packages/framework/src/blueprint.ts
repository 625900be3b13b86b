import { Blueprint as CoreBlueprint } from "@framework/core";
import type { App } from "./app.ts";
import { features } from "./features.ts";

/**
 * A group of routes with the route options of every feature, and `websocket`; its handlers see the `App` with every feature.
 *
 * @example
 * const v1 = new Blueprint("/v1", { deprecated: "2026-11-01" });
 * v1.get("/books", { cache: { ttl: 60 } }, () => []);
 */
export class Blueprint<
  const Prefix extends string = string,
  A extends object = App,
> extends CoreBlueprint.with(...features)<Prefix, A> {}
