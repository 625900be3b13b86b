/** Measures one feature: `node measure-feature.ts <package> <rounds>`; prints the results as JSON. */
import { mkdtempDisposableSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { App, type Response } from "@framework/core";
import { estimate, type Estimate, median } from "../measure/statistics.ts";
import { type FeatureCase, featureCases, withRoutes } from "./feature-cases.ts";
import { MemorySource, type RequestInMemory } from "./request-in-memory.ts";

/** Cost of a feature per request, in nanoseconds of processor time of all threads. */
export interface FeatureCost {
  readonly added: Estimate;
  /** Cost of the request without the feature, without a transport. */
  readonly without: number;
}

const WARM_UP = 20;
/** Requests per turn of the event loop, as on a busy server: they share the cost of work that a feature does once per turn. */
const REQUESTS_PER_TURN = 16;

type Serve = (source: MemorySource) => Response | Promise<Response>;

/** Starts the app without a transport, because a socket would cost more than most features. */
const start = async (app: App): Promise<Serve> => {
  await withRoutes(app).start({ env: "production" });
  return app["kernel"].serve;
};

let sink = 0;

/** Consumes a reply like a transport: its fields and every byte. */
const consume = (reply: Response, source: MemorySource): void | Promise<void> => {
  sink += reply.fields().length;
  const { payload } = reply;
  if (payload !== null && typeof payload === "object" && "chunks" in payload) {
    return drain(payload.chunks, source);
  }
  source.end();
};

const drain = async (chunks: AsyncIterable<Uint8Array>, source: MemorySource): Promise<void> => {
  for await (const chunk of chunks) sink += chunk.byteLength;
  source.end();
};

/** Serves one request to its end. */
const exchange = (serve: Serve, source: MemorySource): void | Promise<void> => {
  const reply = serve(source);
  return reply instanceof Promise
    ? reply.then((resolved) => consume(resolved, source))
    : consume(reply, source);
};

const slice = async (serve: Serve, request: RequestInMemory, calls: number): Promise<number> => {
  const sources = Array.from({ length: calls }, () => new MemorySource(request));
  const before = process.cpuUsage();
  for (let at = 0; at < calls; at += REQUESTS_PER_TURN) {
    const pending = sources
      .slice(at, at + REQUESTS_PER_TURN)
      .map((source) => exchange(serve, source))
      .filter((one) => one !== undefined);
    if (pending.length > 0) await Promise.all(pending);
    await turn();
  }
  const { user, system } = process.cpuUsage(before);
  return ((user + system) * 1000) / calls;
};

/** Sends one request, to verify that the measured feature works. */
const check = async (serve: Serve, request: RequestInMemory): Promise<void> => {
  const source = new MemorySource(request);
  const reply = await serve(source);
  await consume(reply, source);
  if (reply.status !== 200)
    throw new Error(`the status of ${request.target} must be 200, not ${reply.status}`);
};

const measure = async (one: FeatureCase, rounds: number, folder: string): Promise<FeatureCost> => {
  const { createApp, calls = 1000, baselinePath } = one;
  const request = await one.request();
  const plainRequest = baselinePath === undefined ? request : { ...request, target: baselinePath };
  const [plain, featured] = [await start(new App()), await start(createApp(folder))];
  await check(plain, plainRequest);
  await check(featured, request);
  const added: number[] = [];
  const without: number[] = [];
  for (let round = -WARM_UP; round < rounds; round++) {
    const featuredFirst = round % 2 === 0;
    const first = featuredFirst
      ? await slice(featured, request, calls)
      : await slice(plain, plainRequest, calls);
    const second = featuredFirst
      ? await slice(plain, plainRequest, calls)
      : await slice(featured, request, calls);
    if (round < 0) continue;
    added.push(featuredFirst ? first - second : second - first);
    without.push(featuredFirst ? second : first);
  }
  return { added: estimate(added), without: median(without) };
};

const [, , name, rounds = "200"] = process.argv;
const one = featureCases.find((each) => each.package === name);
if (one === undefined) throw new Error(`there is no feature ${name}`);
using folder = mkdtempDisposableSync(join(tmpdir(), "bench-feature-"));
console.log(JSON.stringify(await measure(one, Number(rounds), folder.path)));
process.exitCode = sink < 0 ? 1 : 0;
setImmediate(() => process.exit()); // features may have timers until their app is stopped
