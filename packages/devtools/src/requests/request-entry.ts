import type { HttpRequest } from "@framework/core";
import { redactionFor, type RequestTrace, toldSteps, type ToldStep } from "@framework/core/feature";
import { bounded, scrub } from "./scrub.ts";

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
  const { method, path, route, query, headers } = trace.request as HttpRequest; // the channel carries requests of this framework only
  const pairs = pairsOf(query.toString());
  const redact = redactionFor({ fields: headers.entries(), query: pairs.flatMap(([, value]) => value) });
  const ms = trace.steps[0]?.durationMs ?? 0;
  const steps = toldSteps(trace).filter((step) => !isOwn(step));
  return {
    id,
    worker,
    at: endedAt - ms,
    method,
    path: scrub(path),
    route,
    queryNames: namesOf(pairs),
    status: trace.steps[0]?.status ?? null,
    ms,
    steps: steps.slice(0, MAX_STEPS).map((step) => ({
      ...step,
      name: nameOf(step),
      reasons: step.reasons.slice(0, MAX_REASONS).map((reason) => redact(bounded(reason))),
    })),
    omittedSteps: Math.max(0, steps.length - MAX_STEPS),
  };
};

/** Whether a step is the count of requests of these tools, which has nothing to say. */
export const isOwn = ({ name, stage }: { readonly name: string; readonly stage: string | null }): boolean =>
  name === "devtools" && stage === "telemetry";

type Pair = readonly [name: string, values: readonly string[]];

/** The pairs of a query as received, each value decoded too; a malformed query has pairs as well. */
const pairsOf = (query: string): readonly Pair[] =>
  query.split("&", MAX_NAMES * 5).map((pair) => {
    const at = pair.indexOf("=");
    return at < 0 ? [pair, []] : [pair.slice(0, at), spellingsOf(pair.slice(at + 1))];
  });

const spellingsOf = (value: string): readonly string[] => {
  try {
    return [value, decodeURIComponent(value.replaceAll("+", " "))];
  } catch {
    return [value]; // malformed
  }
};

const namesOf = (pairs: readonly Pair[]): readonly string[] =>
  [...new Set(pairs.map(([name]) => name))]
    .filter((name) => name !== "")
    .slice(0, MAX_NAMES)
    .map(scrub);

/** Steps have the names of functions and features: there are few, and each is looked through once. */
const names = new Map<string, string>();
const MAX_KNOWN = 1000;

const nameOf = ({ name }: ToldStep): string => {
  const known = names.get(name);
  if (known !== undefined) return known;
  const scrubbed = scrub(name);
  if (names.size < MAX_KNOWN) names.set(name, scrubbed);
  return scrubbed;
};
