import type { Problem } from "../errors/configuration-error.ts";

/** Facts about a service that a check before its deployment knows. */
export interface DeploymentFacts {
  /** Whether processes on several hosts serve the app. */
  readonly severalHosts: boolean;
  /** Ports of the shared state that a feature provides, such as on Redis; the others are in the memory of one host. */
  readonly sharedPorts: readonly ("values" | "permits" | "totals")[];
}

/** Returns a feature's advice for a deployment. */
export type FindAdvice = (facts: DeploymentFacts) => readonly Problem[];
