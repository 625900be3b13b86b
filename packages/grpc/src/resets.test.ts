import { once } from "node:events";
import {
  type ClientHttp2Session,
  connect,
  constants,
  createServer,
  type ServerHttp2Stream,
} from "node:http2";
import type { AddressInfo } from "node:net";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { grpcClient } from "./client.ts";
import { aBook, all, catalog, failure, serve } from "./grpc-app.test-kit.ts";
import { framed, rawCallOver } from "./raw-call.test-kit.ts";

const untilCancelled = (_: unknown, { signal }: { readonly signal: AbortSignal }): Promise<never> =>
  new Promise((_resolve, reject) => {
    const end = (): void => reject(signal.reason as Error);
    signal.addEventListener("abort", end);
    if (signal.aborted) end();
  });

/** Sends a call and cancels it. */
const callAndCancel = async (session: ClientHttp2Session): Promise<void> => {
  const stream = session.request({
    ":method": "POST",
    ":path": "/books.v1.Catalog/GetBook",
    "content-type": "application/grpc",
    te: "trailers",
  });
  const closed = new Promise<void>((resolve) => {
    stream.on("close", resolve);
  });
  stream.on("error", () => {}); // "close" follows
  stream.end(framed(Buffer.from([8, 2])));
  stream.close(constants.NGHTTP2_CANCEL);
  await closed;
};

test("3000 cancelled calls do not affect later calls of the connection", async () => {
  await using served = await serve((app) => {
    app.enableGrpc({ address: "127.0.0.1:0" });
    app.addGrpcService(catalog, {
      GetBook: ({ id }, call) => (id === 1 ? aBook(1) : untilCancelled({ id }, call)),
    });
  });
  const session = connect(`http://${served.target}`);
  session.on("error", () => {});
  for (let round = 0; round < 60; round++) {
    await Promise.all(Array.from({ length: 50 }, () => callAndCancel(session)));
  }
  expect((await rawCallOver(session, { body: framed(Buffer.from([8, 1])) })).status).toBe("0");
  session.destroy();
});

test("a connection that cancels more than resetBurst calls is closed", async () => {
  await using served = await serve((app) => {
    app.enableGrpc({ address: "127.0.0.1:0", resetBurst: 20, resetsPerSec: 1 });
    app.addGrpcService(catalog, { GetBook: untilCancelled });
  });
  const session = connect(`http://${served.target}`);
  session.on("error", () => {});
  let cancelled = 0;
  while (!session.destroyed && !session.closed && cancelled < 1000) {
    await callAndCancel(session);
    cancelled++;
  }
  await waitFor(() => session.destroyed || session.closed);
  expect(cancelled).toBeLessThan(200);
});

test("calls end with UNAVAILABLE if the server ends their connection with an error", async () => {
  const server = createServer();
  server.on("sessionError", () => {});
  server.on("stream", (stream: ServerHttp2Stream) => {
    stream.on("error", () => {});
    stream.session?.goaway(constants.NGHTTP2_INTERNAL_ERROR);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const client = grpcClient(catalog, `127.0.0.1:${port}`, { timeoutMs: 60_000 });
  expect(await failure(client.GetBook({ id: 1 }))).toMatchObject({ status: "UNAVAILABLE" });
  expect(await failure(all(client.ListBooks({ count: 1 })))).toMatchObject({ status: "UNAVAILABLE" });
  client.close();
  server.close();
});
