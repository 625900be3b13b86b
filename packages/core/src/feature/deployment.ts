import type { Problem } from "../errors/configuration-error.ts";

/** Properties of a deployment that are known before it starts. */
export interface DeploymentFacts {
  /** Whether processes on several hosts serve the app. */
  readonly severalHosts: boolean;
  /** Ports of the shared state that a feature provides, for example on Redis; the other ports keep their state in the memory of one host. */
  readonly sharedPorts: readonly ("values" | "permits" | "totals")[];
}

/** Returns a feature's advice for a deployment. */
export type FindAdvice = (facts: DeploymentFacts) => readonly Problem[];
