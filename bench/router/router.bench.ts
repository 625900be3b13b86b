/**
 * Compares the cost of one lookup with other routers on the same 51 routes, in one process and in interleaved rounds of alternating order.
 *
 * Each lookup gets a new string, as from a server's parser, so that no router benefits from cached hashes.
 *
 *   node --conditions=@framework/source bench/router/router.bench.ts [rounds]
 */
import { createRouters, type Lookup } from "./routers.ts";
import { cases } from "./routes.ts";

const LOOKUPS = 4096;
const WARM_UP = 12;
const rounds = Number(process.argv[2] ?? 40);

const freshPaths = (paths: readonly string[]): string[] =>
  Array.from({ length: LOOKUPS }, (_, index) =>
    Buffer.from(paths[index % paths.length] ?? "").toString("latin1"),
  );

let sink = 0;

/** Measures nanoseconds per lookup over a slice of fresh paths. */
const slice = (lookup: Lookup, paths: readonly string[]): number => {
  const fresh = freshPaths(paths);
  const start = process.hrtime.bigint();
  for (const path of fresh) {
    const { route, params } = lookup(path);
    sink += route + (params === null ? 0 : 1);
  }
  return Number(process.hrtime.bigint() - start) / LOOKUPS;
};

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN;

const verifyRoutes = (routers: Readonly<Record<string, Lookup>>): void => {
  for (const path of Object.values(cases).flat()) {
    const results = Object.entries(routers).map(([name, lookup]) => [name, lookup(path).route] as const);
    const [[, first] = ["", -1]] = results;
    const other = results.find(([, route]) => route !== first);
    if (other !== undefined) throw new Error(`${path}: ours finds route ${first}, ${other[0]} ${other[1]}`);
  }
};

const measure = (routers: Readonly<Record<string, Lookup>>): Map<string, number[]> => {
  const samples = new Map<string, number[]>();
  const entries = Object.entries(routers);
  for (let round = -WARM_UP; round < rounds; round++) {
    for (const [name, lookup] of round % 2 === 0 ? entries : entries.toReversed()) {
      for (const [title, paths] of Object.entries(cases)) {
        const nanoseconds = slice(lookup, paths);
        if (round < 0) continue;
        const key = `${name} ${title}`;
        samples.set(key, [...(samples.get(key) ?? []), nanoseconds]);
      }
    }
  }
  return samples;
};

const routers = createRouters();
verifyRoutes(routers);
const samples = measure(routers);
const titles = Object.keys(cases);
const cost = (name: string, title: string): number => median(samples.get(`${name} ${title}`) ?? []);

console.log(`Node ${process.version}, ${rounds} rounds of ${LOOKUPS} lookups; median ns (ratio to ours)\n`);
console.log(`| Router | ${titles.join(" | ")} |`);
console.log(`|---|${titles.map(() => "--:|").join("")}`);
for (const name of Object.keys(routers)) {
  const cells = titles.map((title) => {
    const own = cost(name, title);
    return `${own.toFixed(0)} (${(own / cost("ours", title)).toFixed(2)})`;
  });
  console.log(`| ${name} | ${cells.join(" | ")} |`);
}
if (Number.isNaN(sink)) console.log("nothing was found");
