import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { z } from "zod";
import { serve, type ServedApp } from "./grpc-app.test-kit.ts";
import { type GrpcCall, GrpcError, grpcService } from "./index.ts";
import {
  calls,
  hasResponseStream,
  hasRequestStream,
  type RandomCall,
  textsOf,
  turns,
} from "./random-calls.test-kit.ts";

interface Line {
  readonly text: string;
}

const line = z.object({ text: z.string() });
const service = grpcService("test.v1.Random", {
  methods: {
    Unary: { request: line, response: line },
    ServerStream: { request: line, response: line, responseStream: true },
    ClientStream: { request: line, response: line, requestStream: true },
    Bidirectional: { request: line, response: line, requestStream: true, responseStream: true },
  },
});

/** The plan of the calls, and the progress of the handlers. */
interface Progress {
  readonly plan: readonly RandomCall[];
  /** Texts that a handler has read, by the index of its call. */
  readonly read: Map<number, string[]>;
  /** Number of running handlers. */
  running: number;
}

let progress: Progress = { plan: [], read: new Map(), running: 0 };

async function* handle(messages: AsyncIterable<Line>, { metadata }: GrpcCall): AsyncGenerator<Line> {
  const current = progress;
  const at = Number(metadata.get("x-at"));
  const { responses, maxReads, handlerWait, ends } = current.plan[at] as RandomCall;
  const read: string[] = [];
  current.read.set(at, read);
  current.running++;
  try {
    await turns(handlerWait);
    if (maxReads !== 0)
      for await (const { text } of messages) {
        read.push(text);
        if (read.length === maxReads) break;
      }
    for (const text of textsOf(at, responses)) yield { text };
    if (ends === "with a status") throw new GrpcError("ABORTED", `call ${at}`);
    if (ends === "with an error") throw new Error("a fault");
  } finally {
    current.running--;
  }
}

async function* only(message: Line): AsyncGenerator<Line> {
  yield message;
}

const lastOf = async (responses: AsyncIterable<Line>): Promise<Line> => {
  let last = { text: "" };
  for await (const response of responses) last = response;
  return last;
};

const ignore = (): void => {};

const start = (): Promise<ServedApp> =>
  serve(
    (app) => {
      app.enableGrpc({ address: "127.0.0.1:0" });
      app.addGrpcService(service, {
        Unary: (message, call) => lastOf(handle(only(message), call)),
        ServerStream: (message, call) => handle(only(message), call),
        ClientStream: (messages, call) => lastOf(handle(messages, call)),
        Bidirectional: handle,
      });
    },
    { log: { info: ignore, warn: ignore, error: ignore } },
  );

const clientOf = (served: ServedApp) => served.client(service);
type Client = ReturnType<typeof clientOf>;

async function* toMessages(texts: readonly string[]): AsyncGenerator<Line> {
  for (const text of texts) {
    yield { text };
    await turns(1);
  }
}

/** Result of a call for its client. */
interface Outcome {
  readonly responses: string[];
  readonly error: unknown;
}

/** Runs a planned call. */
const runOne = async (client: Client, planned: RandomCall, at: number): Promise<Outcome> => {
  const { kind, requests, cancelAfter, stopAfter } = planned;
  const aborter = new AbortController();
  const options = { signal: aborter.signal, metadata: { "x-at": String(at) } };
  const texts = textsOf(at, requests);
  const first = { text: texts[0] ?? "" };
  const responses: string[] = [];
  const call = async (): Promise<null> => {
    if (kind === "Unary") responses.push((await client.Unary(first, options)).text);
    else if (kind === "ClientStream")
      responses.push((await client.ClientStream(toMessages(texts), options)).text);
    else {
      const stream =
        kind === "Bidirectional"
          ? client.Bidirectional(toMessages(texts), options)
          : client.ServerStream(first, options);
      for await (const { text } of stream) if (responses.push(text) === stopAfter) break;
    }
    return null;
  };
  const ended = call().catch((error: unknown) => error);
  if (cancelAfter !== null) {
    await turns(cancelAfter);
    aborter.abort();
  }
  return { error: await ended, responses };
};

const expectOutcome = (planned: RandomCall, at: number, { responses, error }: Outcome): void => {
  const { requests, maxReads, ends, cancelAfter, stopAfter } = planned;
  const all = textsOf(at, planned.responses);
  const expected = hasResponseStream(planned) ? all : all.slice(-1);
  if (cancelAfter !== null && (error as GrpcError | null)?.status === "CANCELLED")
    return expect(responses).toEqual(expected.slice(0, responses.length));
  if (hasResponseStream(planned) && stopAfter !== null && stopAfter <= expected.length)
    return expect([responses, error]).toEqual([expected.slice(0, stopAfter), null]);
  if (ends === "successfully") {
    const count = hasRequestStream(planned) ? requests.length : 1;
    expect(progress.read.get(at)).toEqual(textsOf(at, requests.slice(0, Math.min(count, maxReads ?? count))));
    return expect([responses, error]).toEqual([expected, null]);
  }
  const failure =
    ends === "with a status" ? { status: "ABORTED", message: `call ${at}` } : { status: "INTERNAL" };
  expect(error).toMatchObject(failure);
  expect(responses).toEqual(hasResponseStream(planned) ? expected : []);
};

const allEnded = async (): Promise<void> => {
  const end = performance.now() + 60_000;
  while (progress.running > 0) {
    if (performance.now() > end) throw new Error(`${progress.running} handlers did not end`);
    await turns(1);
  }
};

test("each concurrent call gets its own responses and result while others wait, are cancelled or fail", async () => {
  await using served = await start();
  expect.hasAssertions();
  await fc.assert(
    fc.asyncProperty(calls, async (plan) => {
      progress = { plan, read: new Map(), running: 0 };
      using client = clientOf(served);
      const outcomes = await Promise.all(plan.map((planned, at) => runOne(client, planned, at)));
      for (const [at, outcome] of outcomes.entries()) expectOutcome(plan[at] as RandomCall, at, outcome);
      await allEnded();
    }),
    { numRuns: 30, endOnFailure: true },
  );
});
