import type { Estimate } from "../measure/statistics.ts";
import { bestPeer } from "./best-peer.ts";
import type { Cell, Measurements, Gate } from "./report.ts";

/** A gate, and the result that it checks. */
interface GateDefinition {
  readonly name: string;
  readonly must: number;
  readonly stretch: number;
  readonly direction: Gate["direction"];
  readonly result: (measurements: Measurements) => Estimate | null | undefined;
}

const cell = ({ cells }: Measurements, workload: string, server: string): Cell | undefined =>
  cells.find((one) => one.workload === workload && one.server === server);

const atLeast = (
  name: string,
  must: number,
  stretch: number,
  result: GateDefinition["result"],
): GateDefinition => ({
  name,
  must,
  stretch,
  direction: "min",
  result,
});

const atMost = (
  name: string,
  must: number,
  stretch: number,
  result: GateDefinition["result"],
): GateDefinition => ({
  name,
  must,
  stretch,
  direction: "max",
  result,
});

/** CPU time of raw divided by the CPU time of the framework, on its fast transport by default. */
const ratio =
  (workload: string, server = "fast"): GateDefinition["result"] =>
  (measurements) =>
    cell(measurements, workload, server)?.ratioToRaw;

/** CPU time with async handlers divided by that with synchronous ones. */
const asyncToSync =
  (workload: string): GateDefinition["result"] =>
  (measurements) =>
    cell(measurements, workload, "async")?.ratioOfFast;

/** Workloads whose gate compares with the best peer that does the same work. */
export const peerWorkloads: readonly string[] = [
  "mw5varied",
  "jwt",
  "jwt-new",
  "cached",
  "limited",
  "limited-many",
  "row-sqlite",
  "row-postgres",
  "websocket",
];

const definitions: readonly GateDefinition[] = [
  atLeast("get-json", 1.7, 2, ratio("json")),
  atLeast("get-param-validated", 1.6, 1.9, ratio("param")),
  atLeast("post-validated", 1.7, 2, ratio("echo")),
  atLeast("five-middlewares", 1.4, 1.8, ratio("mw5")),
  atLeast(
    "get-json-vs-raw-tuned",
    1.3,
    1.5,
    (measurements) => cell(measurements, "json", "fast")?.ratioToTuned,
  ),
  atLeast("node-transport-get-json", 1, 1.15, ratio("json", "node")),
  atLeast("node-transport-post-validated", 1, 1.1, ratio("echo", "node")),
  atLeast("node-transport-varied", 1, 1.1, ratio("varied", "node")),
  atMost("async-to-sync-get-json", 1.05, 1.03, asyncToSync("json")),
  atMost("async-to-sync-get-param-validated", 1.05, 1.03, asyncToSync("param")),
  atMost("async-to-sync-post-validated", 1.05, 1.03, asyncToSync("echo")),
  atMost("p99-vs-raw", 0.9, 0.7, (measurements) => cell(measurements, "json", "fast")?.p99ToRaw),
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
  atMost("listening-four-workers-vs-bare", 1.5, 1.2, ({ listening }) => listening?.toBare),
  ...peerWorkloads.map((workload) =>
    atLeast(`${workload}-vs-best-peer`, 1.2, 1.5, ({ cells }) => bestPeer(cells, workload)?.ratio),
  ),
];

/** Checks every gate against the median; an unmeasured gate neither holds nor fails. */
export const evaluateGates = (measurements: Measurements): Gate[] =>
  definitions.map(({ name, must, stretch, direction, result }) => {
    const found = result(measurements) ?? null;
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

/** Whether a gate failed. */
export const anyFails = (gates: readonly Gate[]): boolean => gates.some(({ pass }) => pass === false);
