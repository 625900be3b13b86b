/**
 * Compares the time until the framework's server listens with bare Node and plain `node:http`, as installed by users,
 * and measures the size of the installation.
 *
 *   pnpm bench:start [rounds]
 */
import { gate, printTable, printTitle } from "../measure/report.ts";
import { estimate, median, formatEstimate } from "../measure/statistics.ts";
import { installCore } from "./install.ts";
import { extraMs, measureRounds } from "./start-rounds.ts";

const rounds = Number(process.argv[2] ?? 20);
const MAX_EXTRA_MS = 60;
/** Maximum bytes of an installation. Only code takes time and memory at start. */
const maxBytes = { code: 1_000_000, types: 700_000, documents: 300_000 };

const programs = { "bare node": "bare.mjs", "node:http": "http.mjs", framework: "framework.mjs" };

printTitle(`Time from the start of a program to its first line: ${rounds} rounds`);
using installed = installCore();
const { folder, packages, parts, kinds } = installed;
const names = Object.keys(programs);
const measured = await measureRounds(folder, programs, rounds);

printTable(
  ["Program", "ms", "ms more than bare node", "ms more than node:http"],
  names.map((name) => [
    name,
    formatEstimate(estimate(measured.map((times) => times[name] ?? NaN)), 0),
    formatEstimate(estimate(extraMs(measured, name, "bare node")), 0),
    formatEstimate(estimate(extraMs(measured, name, "node:http")), 0),
  ]),
);
printTable(
  ["Installed", "KB"],
  [...Object.entries(parts), ...kinds].map(([kind, size]) => [
    String(kind),
    (Number(size) / 1000).toFixed(0),
  ]),
);
const added = median(extraMs(measured, "framework", "bare node"));
gate(
  added <= MAX_EXTRA_MS,
  `the framework takes ${added.toFixed(0)} ms longer to listen than bare Node to start; at most ${MAX_EXTRA_MS}`,
);
gate(packages.length === 1, `one package is installed: ${packages.join(", ")}`);
for (const part of ["code", "types", "documents"] as const) {
  const limit = maxBytes[part];
  gate(
    parts[part] < limit,
    `${(parts[part] / 1000).toFixed(0)} KB of ${part} are installed; under ${limit / 1000}`,
  );
}
