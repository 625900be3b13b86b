import type { Stage } from "../feature/stages.ts";

/** The feature that added a middleware, and its stage. */
export interface MiddlewareLabel {
  readonly feature: string | null;
  readonly stage: Stage | null;
}

/** The labels of middleware functions, for tools that show a chain. */
export type MiddlewareLabels = WeakMap<object, MiddlewareLabel>;
