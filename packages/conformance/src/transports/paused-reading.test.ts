import { type ExchangeEnd, Response } from "@framework/core";
import type { Serve } from "@framework/core/testing";
import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { bothTransports } from "../harness/both-transports.ts";
import { inBatches } from "../harness/in-batches.ts";
import { parseReplies, type RawClient } from "../harness/raw-client.ts";
import { eventually, type TestServer, turn, withServer } from "../harness/test-server.ts";

const get = (target: string): string => `GET ${target} HTTP/1.1\r\nHost: a\r\n\r\n`;

/** Creates an app that echoes the target: `/slow` targets once released, others immediately. */
const gatedApp = () => {
  const ends: string[] = [];
  const waiting: (() => void)[] = [];
  const serve: Serve = (source) => {
    const { target } = source;
    source.onEnd((end: ExchangeEnd) => void ends.push(`${target} ${end}`));
    if (target === "/close") return new Response(target, { headers: { connection: "close" } });
    if (!target.startsWith("/slow")) return Response.text(target);
    return new Promise((resolve) => waiting.push(() => resolve(Response.text(target))));
  };
  const release = (): void => {
    for (const finish of waiting.splice(0)) finish();
  };
  return { serve, ends, waiting, release };
};

/** Slow requests in one chunk, as many as a connection serves concurrently, and one more: the server stops reading. */
const fullPipeline = [...Array.from({ length: 16 }, (_, index) => `/slow/${index}`), "/after"];

const bodies = ({ received, closed }: RawClient): string[] =>
  parseReplies(received, closed).map(({ body }) => body);

const untilAllEnded = ({ transport, served }: TestServer, ends: readonly string[]): Promise<void> =>
  eventually(() => transport.inFlight === 0 && ends.length === served.length, "every exchange has ended");

const servers = bothTransports.flatMap(([name, make]) => [
  [name, make] as const,
  [`${name}, in batches`, inBatches(make)] as const,
]);

describe.each(servers)("%s", (_name, make) => {
  test("answers each of the requests that arrived one by one while reading was paused", async () => {
    const { serve, ends, waiting, release } = gatedApp();
    await withServer(make, { serve }, async (server) => {
      const client = await server.connect();
      await client.send(fullPipeline.map(get).join(""));
      await eventually(() => waiting.length === 16, "the pipeline is full");
      const later = ["/x", "/y", "/z"];
      for (const target of later) {
        await client.send(get(target));
        await turn(20);
      }
      release();
      await client.replies(20);
      expect(bodies(client)).toEqual([...fullPipeline, ...later]);
      await untilAllEnded(server, ends);
      expect(ends).toEqual([...fullPipeline, ...later].map((target) => `${target} sent`));
    });
  });

  test("answers a request that arrived with the end of the stream while reading was paused", async () => {
    const { serve, ends, waiting, release } = gatedApp();
    await withServer(make, { serve }, async (server) => {
      const client = await server.connect();
      await client.send(fullPipeline.map(get).join(""));
      await eventually(() => waiting.length === 16, "the pipeline is full");
      client.socket.end(get("/last"));
      await turn(20);
      release();
      await client.untilClosed();
      expect(bodies(client)).toEqual([...fullPipeline, "/last"]);
      await untilAllEnded(server, ends);
      expect(ends).toEqual([...fullPipeline, "/last"].map((target) => `${target} sent`));
    });
  });

  test("serves no request after a reply that closes the connection, even if it arrived while reading was paused", async () => {
    const { serve, waiting, release } = gatedApp();
    await withServer(make, { serve }, async (server) => {
      const client = await server.connect();
      await client.send(fullPipeline.map(get).join(""));
      await eventually(() => waiting.length === 16, "the pipeline is full");
      for (const target of ["/close", "/x"]) {
        await client.send(get(target));
        await turn(20);
      }
      release();
      await client.untilClosed();
      expect(bodies(client)).toEqual([...fullPipeline, "/close"]);
      expect(server.served.at(-1)?.target).toBe("/close");
    });
  });

  test("answers requests in order, for any chunking and any timing of replies", () =>
    fc.assert(
      fc.asyncProperty(pipelines, (steps) => runPipeline(make, steps)),
      { numRuns: 50 },
    ));
});

/** Requests sent in one chunk, the turns that the client then waits, and whether the app then replies to the pending slow requests. */
interface Step {
  readonly kinds: readonly ("slow" | "now")[];
  readonly turns: number;
  readonly releases: boolean;
}

interface Pipeline {
  readonly steps: readonly Step[];
  /** Whether the client ends its side with its last request. */
  readonly ends: boolean;
}

const kind = fc.constantFrom("slow" as const, "now" as const);
const chunk = fc.oneof(
  { weight: 4, arbitrary: kind.map((only) => [only]) },
  { weight: 2, arbitrary: fc.array(kind, { minLength: 1, maxLength: 24 }) },
  { weight: 1, arbitrary: fc.constant([...Array<"slow">(16).fill("slow"), "now" as const]) },
);
const releases = fc.nat(4).map((one) => one === 0);
const step: fc.Arbitrary<Step> = fc.record({ kinds: chunk, turns: fc.nat(8), releases });
const pipelines: fc.Arbitrary<Pipeline> = fc.record({
  steps: fc.array(step, { minLength: 1, maxLength: 16 }),
  ends: fc.boolean(),
});

const sendSteps = async (
  client: RawClient,
  { steps, ends }: Pipeline,
  release: () => void,
): Promise<string[]> => {
  const sent: string[] = [];
  for (const [at, { kinds, turns, releases }] of steps.entries()) {
    const targets = kinds.map((each, index) => `/${each}/${sent.length + index}`);
    sent.push(...targets);
    const bytes = targets.map(get).join("");
    if (ends && at === steps.length - 1) client.socket.end(bytes);
    else await client.send(bytes);
    await turn(turns);
    if (releases) release();
  }
  return sent;
};

const runPipeline = async (make: (typeof servers)[number][1], pipeline: Pipeline): Promise<void> => {
  const { serve, ends, release } = gatedApp();
  await withServer(make, { serve }, async (server) => {
    const client = await server.connect();
    const sent = await sendSteps(client, pipeline, release);
    const isAnswered = (): boolean => {
      release();
      return client.closed || (!pipeline.ends && bodies(client).length === sent.length);
    };
    await eventually(isAnswered, "every request is answered, or the server has ended its side");
    const answered = bodies(client);
    expect(answered).toEqual(pipeline.ends ? sent.slice(0, answered.length) : sent);
    await untilAllEnded(server, ends);
    const sentReplies = ends.filter((end) => end.endsWith(" sent"));
    expect(sentReplies).toEqual(answered.map((target) => `${target} sent`));
  });
};
