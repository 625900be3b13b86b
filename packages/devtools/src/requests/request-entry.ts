import type { HttpRequest } from "@framework/core";
import { redactionFor, type RequestTrace, stepReports, type StepReport } from "@framework/core/feature";
import { truncate, scrub } from "./scrub.ts";

/** A request, as sent to the page, without query values, header fields and body. */
export interface RequestEntry {
  /** Unique in the run. */
  readonly id: string;
  readonly worker: string;
  /** Start in Unix milliseconds. */
  readonly at: number;
  readonly method: string;
  readonly path: string;
  /** Pattern of the route; `null` if none matched. */
  readonly route: string | null;
  /** Names of its query parameters. */
  readonly queryNames: readonly string[];
  /** Status of the reply; `null` when the outermost step failed. */
  readonly status: number | null;
  /** Milliseconds from the first step until the reply is passed to the transport. */
  readonly ms: number;
  readonly steps: readonly StepReport[];
  /** Number of omitted steps. */
  readonly omittedSteps: number;
}

const MAX_STEPS = 60;
const MAX_REASONS = 8;
const MAX_NAMES = 20;

/** Describes a handled request. @param endedAt Unix milliseconds */
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
  const steps = stepReports(trace).filter((step) => !isOwn(step));
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
      reasons: step.reasons.slice(0, MAX_REASONS).map((reason) => redact(truncate(reason))),
    })),
    omittedSteps: Math.max(0, steps.length - MAX_STEPS),
  };
};

/** Whether a step is the request counter of these tools, which is not shown. */
export const isOwn = ({ name, stage }: { readonly name: string; readonly stage: string | null }): boolean =>
  name === "devtools" && stage === "telemetry";

type Pair = readonly [name: string, values: readonly string[]];

/** Returns the pairs of a query, each value raw and decoded, even if the query is malformed. */
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

/** Cache of scrubbed step names, which are names of functions and features. */
const scrubbedNames = new Map<string, string>();
const MAX_KNOWN = 1000;

const nameOf = ({ name }: StepReport): string => {
  const known = scrubbedNames.get(name);
  if (known !== undefined) return known;
  const scrubbed = scrub(name);
  if (scrubbedNames.size < MAX_KNOWN) scrubbedNames.set(name, scrubbed);
  return scrubbed;
};
