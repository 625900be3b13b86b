import { expect, test } from "@jest/globals";
import { type OpenRedis, openRedis, RedisUnavailableError } from "../index.ts";
import { startScriptedServer } from "./scripted-server.test-kit.ts";

const quiet = { info() {}, warn() {}, error() {} };
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
