import { once } from "node:events";
import { connect } from "node:net";
import { selfSigned } from "@framework/conformance";
import { expect, test } from "@jest/globals";
import { grpcClient } from "./client.ts";
import { aBook, all, catalog, failure, serve } from "./grpc-app.test-kit.ts";

test("calls in progress finish during a drain, and streams are notified of its start", async () => {
  const release = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  await using served = await serve((app) => {
    app.enableGrpc({ address: "127.0.0.1:0" });
    app.addGrpcService(catalog, {
      GetBook: async ({ id }) => {
        begun.resolve();
        await release.promise;
        return aBook(id);
      },
      async *ListBooks(_, { draining }) {
        yield aBook(1);
        await new Promise((resolve) => draining.addEventListener("abort", resolve, { once: true }));
        yield aBook(2);
      },
    });
  });
  const client = served.client(catalog);
  const books = all(client.ListBooks({ count: 2 }));
  const book = client.GetBook({ id: 7 });
  await begun.promise;
  const stopped = served.stop();
  expect(await books).toEqual([aBook(1), aBook(2)]);
  release.resolve();
  expect(await book).toEqual(aBook(7));
  await stopped;
  expect(await failure(client.GetBook({ id: 8 }))).toMatchObject({ status: "UNAVAILABLE" });
});

test("a call that does not end gets UNAVAILABLE before the deadline of the drain", async () => {
  const begun = Promise.withResolvers<void>();
  await using served = await serve(
    (app) => {
      app.enableGrpc({ address: "127.0.0.1:0" });
      app.addGrpcService(catalog, {
        GetBook: () => {
          begun.resolve();
          return new Promise(() => {});
        },
      });
    },
    { cluster: { shutdownTimeoutSecs: 1 } },
  );
  const call = failure(served.client(catalog).GetBook({ id: 7 }));
  await begun.promise;
  const stopped = served.stop().catch(() => {});
  expect(await call).toMatchObject({ status: "UNAVAILABLE" });
  await stopped;
});

test("connections in their handshake do not delay a drain, and calls over TLS finish during it", async () => {
  const release = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const certificates = selfSigned("localhost");
  await using served = await serve(
    (app) => {
      app.enableGrpc({ address: "127.0.0.1:0", tls: { load: () => certificates } });
      app.addGrpcService(catalog, {
        GetBook: async ({ id }) => {
          begun.resolve();
          await release.promise;
          return aBook(id);
        },
      });
    },
    { cluster: { shutdownTimeoutSecs: 5 } }, // a handshake may take 10 s
  );
  const target = `localhost:${served.port}`; // the certificate is for localhost
  using client = grpcClient(catalog, target, { tls: { ca: certificates.cert } });
  const call = client.GetBook({ id: 7 });
  await begun.promise;
  const sockets = ["", "\x16\x03\x01"].map((bytes) => {
    const socket = connect(served.port, "127.0.0.1");
    socket.on("error", () => {}); // "close" follows
    socket.resume();
    if (bytes !== "") socket.write(bytes, "latin1");
    return socket;
  });
  await Promise.all(sockets.map((socket) => once(socket, "connect")));
  const closed = Promise.all(sockets.map((socket) => once(socket, "close")));
  const stopped = served.stop();
  await closed;
  release.resolve();
  expect(await call).toEqual(aBook(7));
  await stopped; // rejects if connections were closed by force
});
