/**
 * Compares the cost of single steps of a request with other implementations, in one process and in interleaved rounds.
 *
 *   pnpm bench:micro [suites] [--rounds 40]
 */
import { parseArgs } from "node:util";
import { printTable, printTitle } from "../measure/report.ts";
import { selectParts } from "../measure/select-names.ts";
import { formatEstimate } from "../measure/statistics.ts";
import { type Cost, emptyCall, measureSuite, type Suite } from "./measure.ts";

const suites: Readonly<Record<string, () => Promise<Suite>>> = {
  router: async () => (await import("./router.ts")).router,
  chain: async () => (await import("./chain.ts")).chain,
  head: async () => (await import("./head.ts")).requestHead,
  query: async () => (await import("./query.ts")).query,
  cookies: async () => (await import("./cookies.ts")).cookies,
  "json-out": async () => (await import("./json.ts")).jsonOut,
  "json-in": async () => (await import("./json.ts")).jsonIn,
  schema: async () => (await import("./schema.ts")).validation,
};

const cell = (cost: Cost | undefined): string =>
  cost === undefined ? "" : `${formatEstimate(cost.nanoseconds, 0)}, ${cost.ratio.median.toFixed(2)}`;

const report = async (
  { title, reference, cases }: Suite,
  costs: Awaited<ReturnType<typeof measureSuite>>,
) => {
  const names = cases.map(({ name }) => name);
  const implementations = new Set(cases.flatMap((one) => Object.keys(one.implementations)));
  const rows = [...implementations].map((each) => [
    each,
    ...names.map((name) => cell(costs.get(name)?.get(each))),
  ]);
  printTable([`${title}: ns, ratio to ${reference}`, ...names], rows);
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: "string", default: "40" } },
});
const rounds = Number(values.rounds);
const selectedSuites = selectParts(suites, positionals, "suite");
printTitle(
  `Single steps, median of ${rounds} rounds with a 95 % interval; a ratio below 1 is cheaper than the reference`,
);
console.log(
  `A call that does nothing takes ${(await emptyCall()).toFixed(1)} ns, which every result includes.\n`,
);
for (const [, load] of selectedSuites) {
  const suite = await load();
  await report(suite, await measureSuite(suite, rounds));
}
