import { connect } from "node:http2";
import { once } from "node:events";
import { virtualClock } from "@framework/core/testing";
import { expect, test } from "@jest/globals";
import { aBook, catalog, serve } from "./grpc-app.test-kit.ts";
import { framed } from "./raw-call.test-kit.ts";

test("the stream of an ended call is closed if its client does not read the rest", async () => {
  const clock = virtualClock();
  const ended = Promise.withResolvers<void>();
  await using served = await serve((app) => {
    app.enableGrpc({ address: "127.0.0.1:0", clock });
    app.addGrpcService(catalog, {
      async *ListBooks(_, { signal }) {
        try {
          for (;;) yield { ...aBook(1), title: "x".repeat(50_000) };
        } finally {
          if (signal.aborted) ended.resolve();
        }
      },
    });
  });
  const session = connect(`http://${served.target}`);
  const stream = session.request({
    ":method": "POST",
    ":path": "/books.v1.Catalog/ListBooks",
    "content-type": "application/grpc",
    te: "trailers",
  });
  stream.pause();
  stream.on("error", () => {});
  stream.end(framed(Buffer.alloc(0)));
  await once(stream, "response");
  await clock.advance(300_000); // maxCallSecs
  await ended.promise;
  await clock.advance(50_000);
  while (!stream.closed) await new Promise((resolve) => setImmediate(resolve));
  expect(stream.rstCode).toBe(8); // CANCEL
  session.destroy();
});

test("the stream of a refused call is closed if its client does not end it", async () => {
  const clock = virtualClock();
  await using served = await serve((app) => {
    app.enableGrpc({ address: "127.0.0.1:0", clock });
  });
  const session = connect(`http://${served.target}`);
  const stream = session.request({
    ":method": "POST",
    ":path": "/no.Such/Method",
    "content-type": "application/grpc",
    te: "trailers",
  });
  stream.on("error", () => {});
  stream.write(framed(Buffer.alloc(0)));
  stream.resume();
  const [fields] = (await once(stream, "response")) as [Record<string, unknown>];
  expect(fields["grpc-status"]).toBe("12");
  await clock.advance(50_000);
  if (!stream.closed) await once(stream, "close");
  expect(stream.rstCode).toBe(8); // CANCEL
  session.destroy();
});
