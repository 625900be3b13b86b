import type { AppSettings } from "@framework/core";
import type { Host } from "@framework/core/feature";
import { isOwn } from "../requests/request-entry.ts";
import { scrub } from "../requests/scrub.ts";

/** A route on the page. */
export interface RouteFacts {
  readonly method: string;
  readonly path: string;
  /** The feature that added it; `null` for the program. */
  readonly feature: string | null;
  readonly auth: readonly string[];
  /** Its steps, outermost first; empty without debug. */
  readonly steps: readonly {
    readonly kind: string;
    readonly name: string;
    readonly stage: string | null;
    /** Reason why it is not in the chain; `null` if it is. */
    readonly absent: string | null;
  }[];
}

/** Facts about the service, sent when a page connects. */
export interface ServiceFacts {
  readonly env: string;
  readonly debug: boolean;
  readonly workers: number;
  readonly node: string;
  readonly features: readonly string[];
  readonly routes: readonly RouteFacts[];
}

const MAX_ROUTES = 2000;

/** Describes the service. */
export const serviceFacts = (
  { http, insight, life }: Pick<Host, "http" | "insight" | "life">,
  { env, debug, workers }: AppSettings,
): ServiceFacts => ({
  env,
  debug,
  workers,
  node: process.version,
  features: life.enabledFeatures(),
  routes: http
    .routes()
    .slice(0, MAX_ROUTES)
    .map((route) => ({
      method: route.method,
      path: route.path,
      feature: route.addedBy,
      auth: route.auth.flatMap(({ schemes }) => Object.keys(schemes)),
      steps: insight
        .stepsOf(route)
        .filter((step) => !isOwn(step))
        .map(({ kind, name, stage, absent = null }) => ({ kind, name: scrub(name), stage, absent })),
    })),
});
