/**
 * Measures the cost of the dev page per request in development, with and without an open page: processor time of the whole process, for the app with it and
 * the app without it alternately. Requests are passed in memory, so that nothing else is measured.
 *
 *   pnpm --filter @framework/bench run bench:devtools [--rounds 200]
 */
import { setImmediate as turn } from "node:timers/promises";
import { parseArgs } from "node:util";
import { App, type Response } from "@framework/core";
import { MemorySource, type RequestInMemory } from "../features/request-in-memory.ts";
import { printTable, printTitle } from "../measure/report.ts";
import { estimate, type Estimate, median, formatEstimate } from "../measure/statistics.ts";
import { devtools } from "../servers/devtools-package.ts";

const CALLS = 2000;
/** Requests per turn of the event loop, as on a busy server. */
const REQUESTS_PER_TURN = 16;
const WARM_UP = 20;

const request: RequestInMemory = {
  method: "GET",
  target: "/json",
  fields: { host: "localhost", accept: "*/*", connection: "keep-alive" },
};

type Serve = (source: MemorySource) => Response | Promise<Response>;

const options = {
  host: "127.0.0.1",
  port: 0,
  argv: [],
  environment: {},
  workers: 1,
  logs: false,
  exitOnError: false,
} as const;

/** Adds five middlewares and a route, as in a small service. */
const withMiddlewares = <A extends App>(app: A): A => {
  for (let level = 0; level < 5; level++) app.use((input, next) => next(input));
  app.get("/json", () => ({ message: "hello" }));
  return app;
};

const slice = async (serve: Serve): Promise<number> => {
  const sources = Array.from({ length: CALLS }, () => new MemorySource(request));
  const before = process.cpuUsage();
  for (let at = 0; at < CALLS; at += REQUESTS_PER_TURN) {
    for (const source of sources.slice(at, at + REQUESTS_PER_TURN)) {
      const reply = await serve(source);
      if (reply.status !== 200) throw new Error(`the status must be 200, not ${reply.status}`);
      source.end();
    }
    await turn();
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / CALLS;
};

interface Cost {
  readonly added: Estimate;
  readonly without: number;
}

const measure = async (plain: Serve, featured: Serve, rounds: number): Promise<Cost> => {
  const added: number[] = [];
  const without: number[] = [];
  for (let round = -WARM_UP; round < rounds; round++) {
    const featuredFirst = round % 2 === 0;
    const first = await slice(featuredFirst ? featured : plain);
    const second = await slice(featuredFirst ? plain : featured);
    if (round < 0) continue;
    added.push(featuredFirst ? first - second : second - first);
    without.push(featuredFirst ? second : first);
  }
  return { added: estimate(added), without: median(without) };
};

const { values } = parseArgs({ options: { rounds: { type: "string", default: "200" } } });
const rounds = Number(values.rounds);
const without = withMiddlewares(new App());
const app = withMiddlewares(new (App.with(devtools))().enableDevtools());
const running = [await without.run(options), await app.run(options)];
const [plain, featured] = [without["kernel"].serve, app["kernel"].serve];

const idle = await measure(plain, featured, rounds);
const { origin, hash } = new URL(app.devtoolsUrl ?? "");
const page = await fetch(`${origin}/live`, {
  headers: { authorization: `Bearer ${hash.slice("#token=".length)}` },
});
let receivedBytes = 0;
const reading = (async () => {
  for await (const chunk of page.body ?? []) receivedBytes += chunk.byteLength;
})();
const open = await measure(plain, featured, rounds);
if (receivedBytes === 0) throw new Error("the page received nothing");

printTitle(`Cost of the dev page per request, median of ${rounds} rounds with a 95 % interval`);
printTable(
  ["State", "µs without", "µs added", "% of the request in memory"],
  Object.entries({ "no page is open": idle, "a page is open": open }).map(([state, cost]) => [
    state,
    cost.without.toFixed(2),
    formatEstimate(cost.added, 3),
    ((cost.added.median / cost.without) * 100).toFixed(1),
  ]),
);
await Promise.all(running.map((service) => service.close()));
await reading;
