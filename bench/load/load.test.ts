import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "@jest/globals";
import { Load } from "./load.ts";
import type { Shot } from "./shot.ts";

const request = "GET / HTTP/1.1\r\nHost: bench\r\n\r\n";
const fields = { "Content-Length": 2 };
const bytes = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi".length;

const shot = (depth = 1): Shot => ({
  bytes: Buffer.from(request.repeat(depth)),
  depth,
  end: { kind: "length", bytes },
});

const serve = async (listener: RequestListener) => {
  const server = createServer((request, response) => {
    response.sendDate = false;
    listener(request, response);
  });
  server.keepAliveTimeout = 0;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const load = new Load((server.address() as AddressInfo).port);
  return {
    load,
    server,
    async [Symbol.asyncDispose]() {
      load.close();
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
};

const hello: RequestListener = (_request, response) => {
  response.shouldKeepAlive = true;
  response.removeHeader("connection");
  response.writeHead(200, fields).end("hi");
};

test("exactly the requested number of requests is sent, after one on each new connection", async () => {
  let [requests, requestsBeforeRun] = [0, 0];
  await using fixture = await serve((request, response) => {
    requests++;
    hello(request, response);
  });
  const { latencies } = await fixture.load.run(shot(), 7, 100, async () => {
    requestsBeforeRun = requests;
  });
  expect(requestsBeforeRun).toBe(7);
  expect(requests).toBe(107);
  expect(latencies).toHaveLength(100);
  expect([...latencies]).toEqual([...latencies].toSorted((a, b) => a - b));
});

test("open connections are reused", async () => {
  let opened = 0;
  await using fixture = await serve(hello);
  fixture.server.on("connection", () => opened++);
  await fixture.load.run(shot(), 5, 20);
  await fixture.load.run(shot(), 5, 20);
  expect(opened).toBe(5);
});

test("pipelined requests are counted individually", async () => {
  let requests = 0;
  await using fixture = await serve((request, response) => {
    requests++;
    hello(request, response);
  });
  const { latencies } = await fixture.load.run(shot(4), 2, 40);
  expect(latencies).toHaveLength(10);
  expect(requests).toBe(4 * 2 + 40);
});

test("variants are sent in a cycle over all connections", async () => {
  const requests = new Map<string, number>();
  await using fixture = await serve((request, response) => {
    const { url = "" } = request;
    requests.set(url, (requests.get(url) ?? 0) + 1);
    hello(request, response);
  });
  const variants = ["/a", "/b", "/c"].map((path) => Buffer.from(request.replace("/", path)));
  await fixture.load.run({ ...shot(), variants }, 6, 60);
  expect(Object.fromEntries(requests)).toEqual({ "/a": 22, "/b": 22, "/c": 22 });
});

test("one failed request fails the run", async () => {
  let requests = 0;
  await using fixture = await serve((request, response) => {
    if (++requests === 20) response.writeHead(500, fields).end("no");
    else hello(request, response);
  });
  await expect(fixture.load.run(shot(), 4, 100)).rejects.toThrow("not a 200");
});

test("a connection closed by the server fails the run", async () => {
  let requests = 0;
  await using fixture = await serve((request, response) => {
    if (++requests === 20) request.socket.destroy();
    else hello(request, response);
  });
  await expect(fixture.load.run(shot(), 4, 100)).rejects.toThrow("closed a connection");
});

test("a connection is replaced after a reply with Connection: close", async () => {
  let count = 0;
  await using fixture = await serve((_request, response) => {
    response.shouldKeepAlive = ++count % 10 !== 0;
    response.writeHead(200, fields).end("hi");
  });
  const body: Shot = { ...shot(), end: { kind: "body", bytes: 2 } };
  const { latencies } = await fixture.load.run(body, 3, 100);
  expect(latencies).toHaveLength(100);
  expect(count).toBe(103);
});

test("a run on a connection that the server has closed fails immediately", async () => {
  let count = 0;
  await using fixture = await serve((request, response) => {
    hello(request, response);
    if (++count === 1) request.socket.end();
  });
  const closed = new Promise((resolve) =>
    fixture.server.on("connection", (socket) => socket.on("close", resolve)),
  );
  const run = fixture.load.run(shot(), 1, 10, async () => void (await closed));
  await expect(run).rejects.toThrow(/closed a connection/);
});
