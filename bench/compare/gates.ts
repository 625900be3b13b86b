import type { Estimate } from "../measure/statistics.ts";
import type { Cell, Figures, Gate } from "./report.ts";

/** A promise and the result that it is checked against. */
interface Promised {
  readonly name: string;
  readonly must: number;
  readonly stretch: number;
  readonly direction: Gate["direction"];
  readonly figure: (figures: Figures) => Estimate | null | undefined;
}

const cell = ({ cells }: Figures, workload: string, server: string): Cell | undefined =>
  cells.find((one) => one.workload === workload && one.server === server);

const atLeast = (name: string, must: number, stretch: number, figure: Promised["figure"]): Promised => ({
  name,
  must,
  stretch,
  direction: "min",
  figure,
});

const atMost = (name: string, must: number, stretch: number, figure: Promised["figure"]): Promised => ({
  name,
  must,
  stretch,
  direction: "max",
  figure,
});

/** Processor time of raw over that of the framework on its fast transport. */
const ratio =
  (workload: string, server = "fast"): Promised["figure"] =>
  (figures) =>
    cell(figures, workload, server)?.ratioToRaw;

const promised: readonly Promised[] = [
  atLeast("get-json", 1.7, 2, ratio("json")),
  atLeast("get-param-validated", 1.6, 1.9, ratio("param")),
  atLeast("post-validated", 1.7, 2, ratio("echo")),
  atLeast("five-middlewares", 1.4, 1.8, ratio("mw5")),
  atLeast("get-json-vs-raw-tuned", 1.3, 1.5, (figures) => cell(figures, "json", "fast")?.ratioToTuned),
  atLeast("node-transport-get-json", 1, 1.15, ratio("json", "node")),
  atMost("p99-vs-raw", 0.9, 0.7, (figures) => cell(figures, "json", "fast")?.p99ToRaw),
  atMost(
    "user-instructions-get-json",
    70_000,
    55_000,
    ({ instructions }) => instructions.find(({ server }) => server === "fast")?.perRequest,
  ),
  atMost(
    "idle-connection-bytes",
    4096,
    3072,
    ({ memory }) => memory.find(({ server }) => server === "fast")?.idleConnectionBytes,
  ),
  atMost(
    "start-ms-over-bare-node",
    40,
    20,
    ({ starts }) => starts.find(({ program }) => program === "framework, fast")?.overBareMs,
  ),
];

/** Judges every promise by the median; an unmeasured one neither holds nor fails. */
export const judge = (figures: Figures): Gate[] =>
  promised.map(({ name, must, stretch, direction, figure }) => {
    const found = figure(figures) ?? null;
    const holds = (limit: number): boolean | null =>
      found === null ? null : direction === "min" ? found.median >= limit : found.median <= limit;
    return {
      name,
      ratio: found?.median ?? null,
      low: found?.low ?? null,
      high: found?.high ?? null,
      must,
      stretch,
      direction,
      pass: holds(must),
      stretchPass: holds(stretch),
    };
  });

/** Whether a promise is broken. */
export const anyFails = (gates: readonly Gate[]): boolean => gates.some(({ pass }) => pass === false);
