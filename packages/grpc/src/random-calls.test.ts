import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { z } from "zod";
import { serve, type Served } from "./grpc-app.test-kit.ts";
import { type GrpcCall, GrpcError, grpcService } from "./index.ts";
import { calls, isStreamed, isStreaming, type RandomCall, textsOf, turns } from "./random-calls.test-kit.ts";

interface Line {
  readonly text: string;
}

const line = z.object({ text: z.string() });
const service = grpcService("test.v1.Random", {
  methods: {
    Unary: { request: line, response: line },
    Answers: { request: line, response: line, responseStream: true },
    Collects: { request: line, response: line, requestStream: true },
    Talks: { request: line, response: line, requestStream: true, responseStream: true },
  },
});

/** The plan of the handlers, and their progress. */
interface Stage {
  readonly plan: readonly RandomCall[];
  /** Texts that a handler has read, by the index of its call. */
  readonly read: Map<number, string[]>;
  /** Running handlers. */
  open: number;
}

let stage: Stage = { plan: [], read: new Map(), open: 0 };

async function* handle(messages: AsyncIterable<Line>, { metadata }: GrpcCall): AsyncGenerator<Line> {
  const own = stage;
  const at = Number(metadata.get("x-at"));
  const { answers, reads, thinks, ends } = own.plan[at] as RandomCall;
  const read: string[] = [];
  own.read.set(at, read);
  own.open++;
  try {
    await turns(thinks);
    if (reads !== 0)
      for await (const { text } of messages) {
        read.push(text);
        if (read.length === reads) break;
      }
    for (const text of textsOf(at, answers)) yield { text };
    if (ends === "with a status") throw new GrpcError("ABORTED", `call ${at}`);
    if (ends === "with an error") throw new Error("a fault");
  } finally {
    own.open--;
  }
}

async function* only(message: Line): AsyncGenerator<Line> {
  yield message;
}

const lastOf = async (answers: AsyncIterable<Line>): Promise<Line> => {
  let last = { text: "" };
  for await (const answer of answers) last = answer;
  return last;
};

const ignore = (): void => {};

const start = (): Promise<Served> =>
  serve(
    (app) => {
      app.enableGrpc({ address: "127.0.0.1:0" });
      app.addGrpcService(service, {
        Unary: (message, call) => lastOf(handle(only(message), call)),
        Answers: (message, call) => handle(only(message), call),
        Collects: (messages, call) => lastOf(handle(messages, call)),
        Talks: handle,
      });
    },
    { log: { info: ignore, warn: ignore, error: ignore } },
  );

const clientOf = (served: Served) => served.client(service);
type Client = ReturnType<typeof clientOf>;

async function* sent(texts: readonly string[]): AsyncGenerator<Line> {
  for (const text of texts) {
    yield { text };
    await turns(1);
  }
}

/** The result of a call for its client. */
interface Outcome {
  readonly answers: string[];
  readonly error: unknown;
}

/** Runs a planned call. */
const runOne = async (client: Client, planned: RandomCall, at: number): Promise<Outcome> => {
  const { kind, sends, cancels, stops } = planned;
  const aborter = new AbortController();
  const options = { signal: aborter.signal, metadata: { "x-at": String(at) } };
  const texts = textsOf(at, sends);
  const first = { text: texts[0] ?? "" };
  const answers: string[] = [];
  const call = async (): Promise<null> => {
    if (kind === "Unary") answers.push((await client.Unary(first, options)).text);
    else if (kind === "Collects") answers.push((await client.Collects(sent(texts), options)).text);
    else {
      const stream = kind === "Talks" ? client.Talks(sent(texts), options) : client.Answers(first, options);
      for await (const { text } of stream) if (answers.push(text) === stops) break;
    }
    return null;
  };
  const ended = call().catch((error: unknown) => error);
  if (cancels !== null) {
    await turns(cancels);
    aborter.abort();
  }
  return { error: await ended, answers };
};

const expectOutcome = (planned: RandomCall, at: number, { answers, error }: Outcome): void => {
  const { sends, reads, ends, cancels, stops } = planned;
  const all = textsOf(at, planned.answers);
  const wanted = isStreamed(planned) ? all : all.slice(-1);
  if (cancels !== null && (error as GrpcError | null)?.status === "CANCELLED")
    return expect(answers).toEqual(wanted.slice(0, answers.length));
  if (isStreamed(planned) && stops !== null && stops <= wanted.length)
    return expect([answers, error]).toEqual([wanted.slice(0, stops), null]);
  if (ends === "well") {
    const count = isStreaming(planned) ? sends.length : 1;
    expect(stage.read.get(at)).toEqual(textsOf(at, sends.slice(0, Math.min(count, reads ?? count))));
    return expect([answers, error]).toEqual([wanted, null]);
  }
  const failure =
    ends === "with a status" ? { status: "ABORTED", message: `call ${at}` } : { status: "INTERNAL" };
  expect(error).toMatchObject(failure);
  expect(answers).toEqual(isStreamed(planned) ? wanted : []);
};

const allEnded = async (): Promise<void> => {
  const end = performance.now() + 60_000;
  while (stage.open > 0) {
    if (performance.now() > end) throw new Error(`${stage.open} handlers did not end`);
    await turns(1);
  }
};

test("each of many calls has its own answers and end, whichever others wait, are cancelled or fail", async () => {
  await using served = await start();
  expect.hasAssertions();
  await fc.assert(
    fc.asyncProperty(calls, async (plan) => {
      stage = { plan, read: new Map(), open: 0 };
      using client = clientOf(served);
      const outcomes = await Promise.all(plan.map((planned, at) => runOne(client, planned, at)));
      for (const [at, outcome] of outcomes.entries()) expectOutcome(plan[at] as RandomCall, at, outcome);
      await allEnded();
    }),
    { numRuns: 30, endOnFailure: true },
  );
});
