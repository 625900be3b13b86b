import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { expect, test } from "@jest/globals";
import { type OpenRedis, openRedis, RedisUnavailableError } from "../index.ts";

const quiet = { info() {}, warn() {}, error() {} };
const bulkString = (value: string) => `$${value.length}\r\n${value}\r\n`;

/** A server that sends scripted replies; it is the only node of its cluster. */
const startScriptedServer = async (replies: Readonly<Record<string, string>>) => {
  const server = createServer((socket) => {
    const { port } = server.address() as AddressInfo;
    const setup: Readonly<Record<string, string>> = {
      INFO: bulkString("loading:0"),
      CLUSTER: `*1\r\n*3\r\n:0\r\n:16383\r\n*2\r\n${bulkString("127.0.0.1")}:${port}\r\n`,
    };
    socket.on("error", () => {});
    socket.on("data", (bytes: Buffer) => {
      // Every command is an array of bulk strings; the first one is its name.
      for (const [, name = ""] of bytes.toString().matchAll(/\*\d+\r\n\$\d+\r\n(\w+)\r\n/g)) {
        if (name.toUpperCase() === "QUIT") return socket.end("+OK\r\n");
        socket.write(replies[name.toUpperCase()] ?? setup[name.toUpperCase()] ?? "+OK\r\n");
      }
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { url: `redis://127.0.0.1:${port}`, [Symbol.dispose]: () => void server.close() };
};

const withClient = async <T>(
  config: { readonly url: string; readonly clusterMode: boolean },
  run: (one: OpenRedis) => Promise<T>,
): Promise<T> => {
  const one = openRedis(config, { log: quiet });
  try {
    return await run(one);
  } finally {
    await one.close();
  }
};

const moved = "-MOVED 3693 127.0.0.1:1\r\n";

test("in a cluster, a redirected command of a pipeline is rejected as unavailable if another command fails", async () => {
  using server = await startScriptedServer({ SET: moved, GET: "-CLUSTERDOWN Hash slot not served\r\n" });
  const results = await withClient({ url: server.url, clusterMode: true }, ({ redis }) =>
    redis.pipeline().set("a", 1).get("a").exec(),
  );
  expect(results?.map(([error]) => error)).toEqual([
    expect.any(RedisUnavailableError),
    expect.any(RedisUnavailableError),
  ]);
  expect(results?.[0]?.[0]).toMatchObject({ reason: expect.stringContaining("MOVED") });
});

test("without clusterMode, a redirected command is rejected with the error of the server", async () => {
  using server = await startScriptedServer({ SET: moved });
  const results = await withClient({ url: server.url, clusterMode: false }, ({ redis }) =>
    redis.pipeline().set("a", 1).get("a").exec(),
  );
  expect(results?.[0]?.[0]).toMatchObject({ name: "ReplyError", message: expect.stringContaining("MOVED") });
});

test.each([true, false])(
  "a transaction that a loading server aborts is rejected as unavailable, clusterMode: %p",
  async (clusterMode) => {
    using server = await startScriptedServer({
      SET: "-LOADING Redis is loading the dataset in memory\r\n",
      EXEC: "-EXECABORT Transaction discarded because of previous errors.\r\n",
    });
    const executed = withClient({ url: server.url, clusterMode }, ({ redis }) =>
      redis.multi().set("a", 1).exec(),
    );
    await expect(executed).rejects.toThrow(RedisUnavailableError);
  },
);

test("a transaction that the server aborts because of a wrong command is rejected with the server's error", async () => {
  using server = await startScriptedServer({
    SET: "-ERR syntax error\r\n",
    EXEC: "-EXECABORT Transaction discarded because of previous errors.\r\n",
  });
  const executed = withClient({ url: server.url, clusterMode: false }, ({ redis }) =>
    redis.multi().set("a", 1).exec(),
  );
  await expect(executed).rejects.toMatchObject({ name: "ReplyError" });
});
