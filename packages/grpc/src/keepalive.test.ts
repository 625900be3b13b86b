import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { expect, test } from "@jest/globals";
import { grpcClient } from "./client.ts";
import { aBook, all, catalog, failure, serve } from "./grpc-app.test-kit.ts";

const serveBooks = (sent: Promise<void>) =>
  serve((app) => {
    app.enableGrpc({ address: "127.0.0.1:0" });
    app.addGrpcService(catalog, {
      GetBook: ({ id }) => aBook(id),
      async *ListBooks(_, { signal }) {
        yield aBook(1);
        await Promise.race([sent, once(signal, "abort")]);
        yield aBook(2);
      },
    });
  });

test("a dead connection is replaced, and its calls end with UNAVAILABLE", async () => {
  await using served = await serveBooks(new Promise(() => {}));
  const pairs: [Socket, Socket][] = [];
  const proxy = createServer((near) => {
    const far = connect(served.port, "127.0.0.1");
    for (const socket of [near, far]) socket.on("error", () => {});
    near.pipe(far).pipe(near);
    pairs.push([near, far]);
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const target = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  using client = grpcClient(catalog, target, {
    timeoutMs: 0,
    keepaliveSecs: 0.1,
    keepaliveTimeoutSecs: 0.5,
  });
  const stream = client.ListBooks({ count: 2 })[Symbol.asyncIterator]();
  await stream.next();
  for (const [near, far] of pairs) {
    near.unpipe(far).pause();
    far.unpipe(near).pause();
  }
  expect(await failure(client.GetBook({ id: 1 }))).toMatchObject({ status: "UNAVAILABLE" });
  expect(await failure(stream.next())).toMatchObject({ status: "UNAVAILABLE" });
  expect(await client.GetBook({ id: 1 })).toEqual(aBook(1));
  expect(pairs).toHaveLength(2);
  for (const [near, far] of pairs) {
    near.destroy();
    far.destroy();
  }
  proxy.close();
});

test("a server accepts a keepalive ping every 10 ms", async () => {
  const sent = Promise.withResolvers<void>();
  await using served = await serveBooks(sent.promise);
  let pings = 0;
  const proxy = createServer((near) => {
    const far = connect(served.port, "127.0.0.1");
    for (const socket of [near, far]) socket.on("error", () => {});
    near.pipe(far).pipe(near);
    near.on("data", (bytes: Buffer) => {
      if (bytes[3] === 6 && ++pings === 30) sent.resolve(); // frame type 6: PING
    });
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const target = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  using client = grpcClient(catalog, target, { keepaliveSecs: 0.01, keepaliveTimeoutSecs: 60 });
  expect(await all(client.ListBooks({ count: 2 }))).toHaveLength(2);
  expect(pings).toBeGreaterThan(29);
  proxy.close();
});
