import { connect } from "node:http2";
import { waitFor } from "@framework/testing";
import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { aBook, all, type Book, catalog, failure, serve, type ServedApp } from "./grpc-app.test-kit.ts";
import { GrpcError } from "./index.ts";
import { framed, rawCall } from "./raw-call.test-kit.ts";

const ROUNDS = 20;

let served: ServedApp;
let received = 0;
/** Result of each request stream for its handler: `complete`, or the status of its error. */
let ends: string[] = [];

const readAll = async (messages: AsyncIterable<unknown>): Promise<void> => {
  try {
    for await (const _ of messages) received++;
    ends.push("complete");
  } catch (error) {
    ends.push(GrpcError.is(error) ? error.status : String(error));
    throw error;
  }
};

beforeAll(async () => {
  served = await serve((app) => {
    app.enableGrpc({ address: "127.0.0.1:0" });
    app.addGrpcService(catalog, {
      AddBooks: async (books) => {
        await readAll(books);
        return { added: received };
      },
      async *Chat(lines) {
        await readAll(lines);
        yield { text: "all" };
      },
    });
  });
});

afterAll(() => served[Symbol.asyncDispose]());

beforeEach(() => {
  received = 0;
  ends = [];
});

test("an error of the client's source cancels the call, and is the cause of the call's error", async () => {
  await using served = await serve((app) => {
    app.enableGrpc({ address: "127.0.0.1:0" });
    app.addGrpcService(catalog, {
      AddBooks: async (books) => ({ added: (await all(books)).length }),
      async *Chat(lines) {
        yield* lines;
      },
    });
  });
  const client = served.client(catalog);
  const lost = new Error("the database is unavailable");
  const failing = async function* <T>(first: T): AsyncGenerator<T> {
    yield await Promise.resolve(first);
    throw lost;
  };
  const cancelled = { status: "CANCELLED", cause: lost };
  expect(await failure(client.AddBooks(failing(aBook(1))))).toMatchObject(cancelled);
  expect(await failure(all(client.Chat(failing({ text: "a" }))))).toMatchObject(cancelled);
});

test("the request stream of a cancelled upload fails, and never ends as complete", async () => {
  const client = served.client(catalog);
  for (let round = 1; round <= ROUNDS; round++) {
    const controller = new AbortController();
    async function* books(): AsyncGenerator<Book> {
      yield aBook(1);
      await waitFor(() => received === round);
      controller.abort();
      await new Promise(() => {});
    }
    const cancelled = failure(client.AddBooks(books(), { signal: controller.signal }));
    expect(await cancelled).toMatchObject({ status: "CANCELLED" });
    await waitFor(() => ends.length === round);
  }
  expect(ends).toEqual(Array.from({ length: ROUNDS }, () => "CANCELLED"));
});

test("the request stream of a client whose source fails never ends as complete", async () => {
  const client = served.client(catalog);
  for (let round = 1; round <= ROUNDS; round++) {
    async function* lines() {
      yield { text: "a" };
      await waitFor(() => received === round);
      throw new Error("the source fails");
    }
    await failure(round % 2 === 0 ? client.AddBooks(booksOf(lines())) : all(client.Chat(lines())));
    await waitFor(() => ends.length === round);
  }
  expect(ends).toEqual(Array.from({ length: ROUNDS }, () => "CANCELLED"));
});

async function* booksOf(lines: AsyncIterable<unknown>): AsyncGenerator<Book> {
  for await (const _ of lines) yield aBook(1);
}

const book = framed(Buffer.from([8, 1, 18, 1, 97]));
const line = framed(Buffer.from([10, 1, 97]));

test.each([
  ["AddBooks", book],
  ["Chat", line],
])("the stream of %s whose connection is lost never ends as complete", async (method, message) => {
  const session = connect(`http://${served.target}`);
  session.on("error", () => {});
  const stream = session.request({
    ":method": "POST",
    ":path": `/books.v1.Catalog/${method}`,
    "content-type": "application/grpc",
    te: "trailers",
  });
  stream.on("error", () => {});
  stream.write(message);
  await waitFor(() => received === 1);
  session.destroy();
  await waitFor(() => ends.length === 1);
  expect(ends).toEqual(["CANCELLED"]);
});

test.each([
  ["AddBooks", book],
  ["Chat", line],
])("a stream of %s that ends within a message is INTERNAL", async (method, message) => {
  const path = `/books.v1.Catalog/${method}`;
  expect((await rawCall(served.target, { path, body: Buffer.concat([message, message]) })).status).toBe("0");
  for (const length of [3, message.length - 1]) {
    const body = Buffer.concat([message, message.subarray(0, length)]);
    const { status, fields } = await rawCall(served.target, { path, body });
    expect([status, fields["grpc-message"]]).toEqual(["13", "The%20message%20is%20incomplete"]);
  }
  expect(ends).toEqual(["complete", "INTERNAL", "INTERNAL"]);
});
