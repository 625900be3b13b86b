import { once } from "node:events";
import { type ClientHttp2Session, type ClientHttp2Stream, connect } from "node:http2";
import { bundledProgram } from "@framework/bundled-sources";
import { startProgram } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { framed } from "./raw-call.test-kit.ts";

/** Number of streams; set FRAMEWORK_GRPC_STREAMS to 10000 for the full size. */
const STREAMS = Number(process.env["FRAMEWORK_GRPC_STREAMS"] ?? 500);
const ROUNDS = 5;
const STREAMS_PER_CONNECTION = 500;
const MIB = 1_048_576;

interface Memory {
  readonly rss: number;
  readonly heapUsed: number;
  readonly external: number;
  readonly begun: number;
  readonly ended: number;
}

const message = framed(Buffer.from([8, 7]));

const openStream = (session: ClientHttp2Session): ClientHttp2Stream =>
  session.request({
    ":method": "POST",
    ":path": "/test.Load/Echo",
    "content-type": "application/grpc",
    te: "trailers",
  });

/** Sends a message on every stream and waits for all responses. */
const exchange = (streams: readonly ClientHttp2Stream[]): Promise<unknown> =>
  Promise.all(
    streams.map((stream) => {
      const responded = once(stream, "data");
      stream.write(message);
      return responded;
    }),
  );

const end = (streams: readonly ClientHttp2Stream[]): Promise<unknown> =>
  Promise.all(
    streams.map((stream) => {
      const closed = once(stream, "close");
      stream.end();
      return closed;
    }),
  );

test("streams use memory only while they are open, and their messages use none", async () => {
  const file = bundledProgram(new URL("./load.test-program.ts", import.meta.url));
  await using program = await startProgram(file, { conditions: ["@framework/source"] });
  const { port } = (await (await fetch(new URL("/port", program.url))).json()) as { port: number };
  const memory = async (): Promise<Memory> =>
    (await (await fetch(new URL("/memory", program.url))).json()) as Memory;
  const sessions = Array.from({ length: Math.ceil(STREAMS / STREAMS_PER_CONNECTION) }, () =>
    connect(`http://127.0.0.1:${port}`, { maxSessionMemory: 1000 }),
  );
  for (const session of sessions) session.setMaxListeners(0);
  const seen: Memory[] = [];
  const cycle = async (): Promise<void> => {
    const streams = Array.from({ length: STREAMS }, (_, at) =>
      openStream(sessions[at % sessions.length] as ClientHttp2Session),
    );
    await exchange(streams);
    seen.push(await memory());
    for (let turn = 1; turn < ROUNDS; turn++) await exchange(streams);
    seen.push(await memory());
    await end(streams);
    seen.push(await memory());
  };
  for (let turn = 0; turn < 3; turn++) await cycle();
  for (const session of sessions) session.close();
  const heap = seen.map(({ heapUsed, external }) => (heapUsed + external) / MIB);
  if (process.env["FRAMEWORK_GRPC_STREAMS"] !== undefined)
    console.info(
      STREAMS,
      seen.map(({ rss }, at) => `${Math.round(heap[at] ?? 0)} MiB, rss ${Math.round(rss / MIB)}`),
    );
  const [, , firstClosed = 0, secondFirst = 0, secondLast = 0, , thirdFirst = 0, , lastClosed = 0] = heap;
  const slack = 3 + STREAMS / 1000; // MiB: 1 KiB per stream, and code compiled during the test
  expect(seen.at(-1)).toMatchObject({ begun: 3 * STREAMS, ended: 3 * STREAMS });
  expect(secondLast).toBeLessThan(secondFirst + slack);
  expect(thirdFirst).toBeLessThan(secondFirst + slack);
  expect(lastClosed).toBeLessThan(firstClosed + slack);
});
