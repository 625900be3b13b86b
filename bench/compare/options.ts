import { parseArgs } from "node:util";
import { contenders } from "./contenders.ts";
import { selectNames } from "../measure/select-names.ts";
import { workloads } from "../workloads/workloads.ts";

/** Parts of a run other than workloads. */
export const otherParts = ["memory", "start", "listening", "instructions"] as const;

/** Options of a run. */
export interface Options {
  readonly quick: boolean;
  /** Names of workloads and other parts. */
  readonly parts: ReadonlySet<string>;
  /** Names of servers. */
  readonly servers: ReadonlySet<string>;
  /** Whether flags exclude some servers or parts. */
  readonly partial: boolean;
  readonly rounds: number;
  /** Rounds of a main workload. */
  readonly promisedRounds: number;
  /** Number of starts of all servers; the rounds are divided among them. */
  readonly fleets: number;
  /** Factor for the workload's requests per slice. */
  readonly share: number;
  /** Requests to each server before it is measured. */
  readonly warmUp: number;
  /** Warm-up requests of a workload with a gate: about as many as V8 needs to finish optimizing. */
  readonly gatedWarmUp: number;
  /** Fresh processes for each memory measurement. */
  readonly memoryRounds: number;
  readonly startRounds: number;
  /** Whether the run replaces the tables of comparison.md. */
  readonly write: boolean;
  /** Output folder of report and plot; null for `results/`. */
  readonly out: string | null;
}

/** Usage of the program. */
export const usage = `pnpm bench [--quick] [--only a,b] [--servers a,b] [--rounds N] [--requests SHARE] [--write] [--out FOLDER]

  --quick      fewer rounds, the main workloads: under three minutes
  --only       parts: ${[...workloads.map(({ name }) => name), ...otherParts].join(", ")}
  --servers    ${contenders.map(({ name }) => name).join(", ")}
  --rounds     rounds of slices
  --requests   factor for the requests of a slice and of the warm-up
  --write      writes the tables to comparison.md; a full run always does
  --out        folder for the report and its plot instead of results/
`;

const flags = {
  quick: { type: "boolean", default: false },
  only: { type: "string" },
  servers: { type: "string" },
  rounds: { type: "string" },
  requests: { type: "string" },
  write: { type: "boolean", default: false },
  out: { type: "string" },
  help: { type: "boolean", default: false },
} as const;

/** Parses the command line; null for help. @throws for an unknown flag, part or server, or an invalid number */
export const readOptions = (argv: readonly string[]): Options | null => {
  const { values } = parseArgs({ args: argv.filter((argument) => argument !== "--"), options: flags });
  if (values.help) return null;
  const { quick, only, servers, out = null } = values;
  const defaults = [
    ...workloads.filter((one) => !quick || one.isMain).map(({ name }) => name),
    ...otherParts,
  ];
  const all = [...workloads.map(({ name }) => name), ...otherParts];
  const names = contenders.map(({ name }) => name);
  const partial = only !== undefined || servers !== undefined;
  const rounds = Math.ceil(parsePositive("--rounds", values.rounds, quick ? 8 : 20));
  const share = parsePositive("--requests", values.requests, quick ? 0.8 : 1);
  return {
    quick,
    parts: parseNames("part", only, all, defaults),
    servers: parseNames("server", servers, names, names),
    partial,
    rounds,
    promisedRounds: quick || values.rounds !== undefined ? rounds : 2 * rounds,
    fleets: quick ? 2 : 4,
    share,
    warmUp: Math.ceil((quick ? 6000 : 12_000) * share),
    gatedWarmUp: Math.ceil((quick ? 6000 : 40_000) * share),
    memoryRounds: quick ? 1 : 3,
    startRounds: quick ? 5 : 15,
    write: values.write || !(quick || partial),
    out,
  };
};

const parseNames = (
  kind: string,
  text: string | undefined,
  all: readonly string[],
  defaults: readonly string[],
): ReadonlySet<string> => {
  if (text === undefined) return new Set(defaults);
  const names = text.split(",").map((name) => name.trim());
  return new Set(selectNames(kind, names, all));
};

const parsePositive = (flag: string, text: string | undefined, defaults: number): number => {
  if (text === undefined) return defaults;
  const value = Number(text);
  if (value > 0 && Number.isFinite(value)) return value;
  throw new Error(`${flag} must be a number above 0, not ${text}`);
};
