/**
 * Compares how long a framework's server takes to listen with a bare Node and with plain `node:http`, in the form that users install,
 * and measures the size of their installation.
 *
 *   pnpm bench:start [rounds]
 */
import { gate, printTable, printTitle } from "../measure/report.ts";
import { estimate, median, shown } from "../measure/statistics.ts";
import { installCore } from "./install.ts";
import { extra, startRounds } from "./start-rounds.ts";

const rounds = Number(process.argv[2] ?? 20);
const EXTRA_MS = 60;
/** Bytes of an installation. Only the code takes time and memory at the start. */
const maxBytes = { code: 1_000_000, types: 700_000, documents: 300_000 };

const programs = { "bare node": "bare.mjs", "node:http": "http.mjs", framework: "framework.mjs" };

printTitle(`Start of a program up to its first line: ${rounds} rounds, programs in turn`);
using installed = installCore();
const { folder, packages, parts, kinds } = installed;
const names = Object.keys(programs);
const measured = await startRounds(folder, programs, rounds);

printTable(
  ["Program", "ms", "over bare node, ms", "over node:http, ms"],
  names.map((name) => [
    name,
    shown(estimate(measured.map((times) => times[name] ?? NaN)), 0),
    shown(estimate(extra(measured, name, "bare node")), 0),
    shown(estimate(extra(measured, name, "node:http")), 0),
  ]),
);
printTable(
  ["Installed", "KB"],
  [...Object.entries(parts), ...kinds].map(([kind, size]) => [
    String(kind),
    (Number(size) / 1000).toFixed(0),
  ]),
);
const added = median(extra(measured, "framework", "bare node"));
gate(
  added <= EXTRA_MS,
  `the framework listens ${added.toFixed(0)} ms after a bare Node would be up; at most ${EXTRA_MS}`,
);
gate(packages.length === 1, `one package is installed: ${packages.join(", ")}`);
for (const part of ["code", "types", "documents"] as const) {
  const most = maxBytes[part];
  gate(
    parts[part] < most,
    `${(parts[part] / 1000).toFixed(0)} KB of ${part} are installed; under ${most / 1000}`,
  );
}
