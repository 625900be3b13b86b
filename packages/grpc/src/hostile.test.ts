import { once } from "node:events";
import { connect, constants } from "node:http2";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { aBook, catalog, serve, type ServedApp } from "./grpc-app.test-kit.ts";
import { framed, rawCall } from "./raw-call.test-kit.ts";

let served: ServedApp;
let begun = 0;
let open = 0;

beforeAll(async () => {
  served = await serve((app) => {
    app.enableGrpc({ address: "127.0.0.1:0", resetBurst: 1000, resetsPerSec: 33 });
    app.addGrpcService(catalog, {
      GetBook: async ({ id }, { signal }) => {
        begun++;
        if (id === 1) return aBook(id);
        open++;
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        open--;
        throw signal.reason;
      },
    });
  });
});

afterAll(() => served[Symbol.asyncDispose]());

const headers = {
  ":method": "POST",
  ":path": "/books.v1.Catalog/GetBook",
  "content-type": "application/grpc",
  te: "trailers",
};

test("a flood of immediately reset streams closes its connection, and other clients are still served", async () => {
  begun = 0;
  const others = served.client(catalog);
  await others.GetBook({ id: 1 });
  const session = connect(`http://${served.target}`);
  session.on("error", () => {});
  const closed = new Promise((resolve) => session.once("close", resolve)); // the server sends GOAWAY with an error
  let sent = 0;
  let completed = 0;
  while (!session.destroyed && !session.closed && sent < 50_000) {
    for (let at = 0; at < 100 && !session.destroyed && !session.closed; at++) {
      const stream = session.request(headers);
      stream.on("error", () => {});
      stream.write(framed(Buffer.from([8, 2])));
      stream.end();
      stream.close(constants.NGHTTP2_CANCEL);
      sent++;
    }
    await others.GetBook({ id: 1 });
    completed++;
  }
  expect(sent).toBeLessThan(50_000);
  await closed;
  expect(begun - completed).toBeLessThan(5000);
  while (open > 0) await new Promise((resolve) => setImmediate(resolve));
  expect(await others.GetBook({ id: 1 })).toEqual(aBook(1));
});

test("header fields far above the limit are refused, and the service keeps working", async () => {
  const long = "x".repeat(30_000);
  const reply = await rawCall(served.target, { headers: { "x-a": long, "x-b": long } });
  expect(["8", "reset"]).toContain(reply.status);
  const many = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`x-${at}`, "1"]));
  expect(["8", "reset"]).toContain((await rawCall(served.target, { headers: many })).status);
  expect(await served.client(catalog).GetBook({ id: 1 })).toEqual(aBook(1));
});

test("a message above the limit is refused for its declared length, before the rest of it arrives", async () => {
  const session = connect(`http://${served.target}`);
  session.on("error", () => {});
  const stream = session.request(headers);
  stream.on("error", () => {});
  const reply = once(stream, "response");
  stream.write(framed(Buffer.alloc(10), 0, 4_194_305)); // 10 bytes of the declared 4 MiB + 1
  const [fields] = (await reply) as [Record<string, unknown>];
  expect(fields["grpc-status"]).toBe("8");
  session.destroy();
});
