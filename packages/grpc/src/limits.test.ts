import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { gzipSync } from "node:zlib";
import { aBook, all, catalog, failure, serve, type ServedApp } from "./grpc-app.test-kit.ts";
import { framed, rawCall } from "./raw-call.test-kit.ts";

let served: ServedApp;
let aborted: string[] = [];
let started = 0;
let sent = 0;

beforeAll(async () => {
  served = await serve((app) => {
    app.enableGrpc({
      address: "127.0.0.1:0",
      maxMessageSize: 10_000,
      maxMetadataBytes: 4096,
      use: [(call, next) => next(call)],
    });
    app.addGrpcService(catalog, {
      GetBook: ({ id }, { signal }) => {
        if (id === 1) return aBook(1);
        started++;
        return new Promise((_, reject) => {
          signal.addEventListener("abort", () => {
            aborted.push((signal.reason as { status: string }).status);
            reject(signal.reason as Error);
          });
        });
      },
      Chat: {
        timeoutSecs: 0.02,
        async *handle(lines) {
          for await (const line of lines) yield line;
        },
      },
      async *ListBooks({ count }, { signal }) {
        try {
          for (sent = 0; sent < count; sent++) yield { ...aBook(sent), title: "x".repeat(5000) };
        } finally {
          aborted.push(`ended ${signal.aborted}`);
        }
      },
      AddBooks: async (books) => ({ added: (await all(books)).length }),
    });
  });
});

afterAll(() => served[Symbol.asyncDispose]());

const until = async (condition: () => boolean): Promise<void> => {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
};

test("the client's deadline and its cancellation abort the signal of the handler", async () => {
  aborted = [];
  started = 0;
  const client = served.client(catalog);
  const body = framed(Buffer.from([8, 2]));
  // On a busy machine a call may pass its deadline before it reaches the handler. A raw call, because a client library might cancel at the deadline first.
  for (let timeoutMs = 100; started === 0; timeoutMs *= 2)
    expect(
      await rawCall(served.target, { body, headers: { "grpc-timeout": `${timeoutMs}m` } }),
    ).toMatchObject({ status: "4" });
  await until(() => aborted.includes("DEADLINE_EXCEEDED"));
  const before = started;
  const controller = new AbortController();
  const call = failure(client.GetBook({ id: 2 }, { signal: controller.signal }));
  await until(() => started > before);
  controller.abort();
  expect(await call).toMatchObject({ status: "CANCELLED" });
  await until(() => aborted.includes("CANCELLED"));
});

test("timeoutSecs of a method ends a call before the client's deadline", async () => {
  async function* unfinished(): AsyncGenerator<{ text: string }> {
    yield { text: "a" };
    await new Promise(() => {});
  }
  expect(await failure(all(served.client(catalog).Chat(unfinished(), { timeoutMs: 60_000 })))).toMatchObject({
    status: "DEADLINE_EXCEEDED",
  });
});

test("a stream is paused while the client does not read, and its handler ends when the client disconnects", async () => {
  aborted = [];
  const client = served.client(catalog);
  const stream = client.ListBooks({ count: 1_000_000 })[Symbol.asyncIterator]();
  await stream.next();
  let before = -1;
  while (before !== sent) {
    before = sent;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  expect(sent).toBeLessThan(1000);
  await stream.return?.();
  await until(() => aborted.length === 1);
  expect(aborted).toEqual(["ended true"]);
});

test("a stream is paused until the client's first read, and loses no responses", async () => {
  aborted = [];
  sent = 0;
  const client = served.client(catalog);
  const stream = client.ListBooks({ count: 20_000 });
  for (let before = -1; before !== sent || sent === 0;) {
    before = sent;
    for (let at = 0; at < 20; at++) await client.GetBook({ id: 1 });
  }
  expect(sent).toBeLessThan(1000);
  const ids: number[] = [];
  for await (const { id } of stream) if (ids.push(id) === 2000) break;
  expect(ids).toEqual(Array.from({ length: 2000 }, (_, at) => at));
  await until(() => aborted.length === 1);
});

test("a message above the limit is RESOURCE_EXHAUSTED, and the service keeps working", async () => {
  const client = served.client(catalog);
  const error = await failure(client.AddBooks([{ ...aBook(1), title: "x".repeat(20_000) }]));
  expect(error).toMatchObject({ status: "RESOURCE_EXHAUSTED" });
  expect(await client.GetBook({ id: 1 })).toEqual(aBook(1));
});

test("metadata above the limit is RESOURCE_EXHAUSTED", async () => {
  const call = served.client(catalog).GetBook({ id: 1 }, { metadata: { "x-long": "x".repeat(5000) } });
  expect(await failure(call)).toMatchObject({ status: "RESOURCE_EXHAUSTED" });
});

/** Sends bytes as the body of a call, and returns its `grpc-status`. */
const raw = async (body: Uint8Array, headers: Record<string, string> = {}): Promise<string> =>
  (await rawCall(served.target, { body, headers })).status;

test("excessive lengths, compression bombs and malformed bytes are refused, and the process survives", async () => {
  expect(await raw(framed(Buffer.alloc(10), 0, 0xffff_ffff))).toBe("8");
  expect(
    await raw(framed(gzipSync(Buffer.alloc(50_000_000)).subarray(0, 9000), 1), { "grpc-encoding": "gzip" }),
  ).toBe("8");
  expect(await raw(framed(Buffer.from("no gzip"), 1), { "grpc-encoding": "gzip" })).toBe("13");
  expect(await raw(framed(Buffer.from([0xff, 0xff, 0xff])))).toBe("13");
  expect(await raw(framed(Buffer.from([8, 1])), { "grpc-timeout": "soon" })).toBe("13");
  expect(await raw(framed(Buffer.from([8, 1])))).toBe("0");
  for (let seed = 1; seed < 200; seed++) {
    const bytes = Buffer.from(
      Array.from({ length: seed % 40 }, (_, at) => (seed * 31 + at * 97 + ((seed * at) % 7)) & 255),
    );
    await raw(bytes);
  }
  expect(await served.client(catalog).GetBook({ id: 1 })).toEqual(aBook(1));
});
