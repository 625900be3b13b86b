import type { HttpRequest } from "@framework/core";
import { type RequestTrace, toldSteps, type ToldStep } from "@framework/core/feature";
import { scrub } from "./scrub.ts";

/** A request on the page. Values of its query, header fields and body are not part of it. */
export interface RequestEntry {
  /** Unique in the run. */
  readonly id: string;
  readonly worker: string;
  /** Start in milliseconds since 1970. */
  readonly at: number;
  readonly method: string;
  readonly path: string;
  /** Pattern of the route; `null` without one. */
  readonly route: string | null;
  /** Names in its query. */
  readonly queryNames: readonly string[];
  /** Status of the reply; `null` when the outermost step failed. */
  readonly status: number | null;
  /** Milliseconds from the first step to the head of the reply. */
  readonly ms: number;
  readonly steps: readonly ToldStep[];
  /** Steps that are left out. */
  readonly omittedSteps: number;
}

const MAX_STEPS = 60;
const MAX_REASONS = 8;
const MAX_NAMES = 20;

/** Describes a request that was answered. @param endedAt milliseconds since 1970 */
export const requestEntry = (
  trace: RequestTrace,
  id: string,
  worker: string,
  endedAt: number,
): RequestEntry => {
  const { method, path, route, query } = trace.request as HttpRequest; // the channel carries requests of this framework only
  const ms = trace.steps[0]?.durationMs ?? 0;
  const steps = toldSteps(trace);
  return {
    id,
    worker,
    at: endedAt - ms,
    method,
    path: scrub(path),
    route,
    queryNames: namesOf(query.toString()),
    status: trace.steps[0]?.status ?? null,
    ms,
    steps: steps.slice(0, MAX_STEPS).map((step) => ({
      ...step,
      name: scrub(step.name),
      reasons: step.reasons.slice(0, MAX_REASONS).map(scrub),
    })),
    omittedSteps: Math.max(0, steps.length - MAX_STEPS),
  };
};

/** The names as received; a malformed query has names too. */
const namesOf = (query: string): readonly string[] => {
  const names = query.split("&", MAX_NAMES * 5).map((pair) => pair.split("=", 1)[0] ?? "");
  return [...new Set(names)]
    .filter((name) => name !== "")
    .slice(0, MAX_NAMES)
    .map(scrub);
};
