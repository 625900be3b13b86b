/** Measures one feature in a process of its own, `node measure-feature.ts <package> <rounds>`; prints its results as JSON. */
import { mkdtempDisposableSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { App, type Response } from "@framework/core";
import { estimate, type Estimate, median } from "../measure/statistics.ts";
import { type FeatureCase, featureCases, withRoutes } from "./feature-cases.ts";
import { MemorySource, type RequestInMemory } from "./request-in-memory.ts";

/** What a feature costs for one request, in nanoseconds of processor time, all threads. */
export interface FeatureCost {
  readonly added: Estimate;
  /** The request without the feature, from the transport's hand-over to the reply's fields. */
  readonly without: number;
}

const WARM_UP = 20;
/** Requests that arrive in one turn of the event loop, as on a busy server: what a feature does once a turn is shared by them. */
const EACH_TURN = 16;

type Serve = (source: MemorySource) => Response | Promise<Response>;

/** The app behind its transports: a socket would cost more than most features. */
const started = async (app: App): Promise<Serve> => {
  await withRoutes(app).start({ env: "production" });
  return app["kernel"].serve;
};

let sink = 0;

/** Takes a reply as a transport does: its fields and every byte. */
const take = (reply: Response, source: MemorySource): void | Promise<void> => {
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

/** One request from hand-over to end. */
const exchange = (serve: Serve, source: MemorySource): void | Promise<void> => {
  const reply = serve(source);
  return reply instanceof Promise ? reply.then((late) => take(late, source)) : take(reply, source);
};

const slice = async (serve: Serve, request: RequestInMemory, calls: number): Promise<number> => {
  const sources = Array.from({ length: calls }, () => new MemorySource(request));
  const before = process.cpuUsage();
  for (let at = 0; at < calls; at += EACH_TURN) {
    const late = sources
      .slice(at, at + EACH_TURN)
      .map((source) => exchange(serve, source))
      .filter((one) => one !== undefined);
    if (late.length > 0) await Promise.all(late);
    await turn();
  }
  const { user, system } = process.cpuUsage(before);
  return ((user + system) * 1000) / calls;
};

/** One reply, to verify that the measured feature works. */
const check = async (serve: Serve, request: RequestInMemory): Promise<void> => {
  const source = new MemorySource(request);
  const reply = await serve(source);
  await take(reply, source);
  if (reply.status !== 200) throw new Error(`${request.target} is answered with ${reply.status}`);
};

const measure = async (one: FeatureCase, rounds: number, folder: string): Promise<FeatureCost> => {
  const { withFeature, calls = 1000, insteadOf } = one;
  const request = await one.request();
  const plainRequest = insteadOf === undefined ? request : { ...request, target: insteadOf };
  const [plain, featured] = [await started(new App()), await started(withFeature(folder))];
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
setImmediate(() => process.exit()); // features may keep timers for as long as their app is not stopped
