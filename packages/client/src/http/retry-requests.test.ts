import { timeout } from "@framework/core";
import { virtualClock, waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { open, serve } from "./http-service.test-kit.ts";
import { retryRequests } from "./retry-requests.ts";

const noWait = { policy: { attempts: 3, delayMs: 0, maxDelayMs: 5000 }, random: () => 0 };

const recordingClock = (waits: number[]) => ({
  after: (ms: number, run: () => void) => {
    waits.push(ms);
    queueMicrotask(run);
    return () => {};
  },
});

test("only idempotent requests and requests with an Idempotency-Key are repeated, unless their body is a stream", async () => {
  await using server = await serve((_, response) => response.writeHead(503).end());
  await using http = open(server.url, { use: [retryRequests(noWait)] });
  const attempts = async (init: object): Promise<number> => {
    const before = server.seen.length;
    expect((await http.request("/", init)).status).toBe(503);
    return server.seen.length - before;
  };
  expect(await attempts({})).toBe(3);
  expect(await attempts({ method: "PUT", body: "x" })).toBe(3);
  expect(await attempts({ method: "POST", body: "x" })).toBe(1);
  expect(await attempts({ method: "POST", body: "x", idempotencyKey: "1" })).toBe(3);
  const stream = new Blob(["x"]).stream();
  expect(await attempts({ method: "PUT", body: stream })).toBe(1);
});

test("a retry waits as long as Retry-After requires, and a Retry-After above maxDelayMs ends the attempts", async () => {
  let field = "2";
  await using server = await serve((_, response) => response.writeHead(429, { "retry-after": field }).end());
  const waits: number[] = [];
  await using http = open(server.url, {
    use: [retryRequests({ ...noWait, clock: recordingClock(waits), now: () => 0 })],
  });
  await http.request("/");
  field = new Date(3000).toUTCString();
  await http.request("/");
  for (field of ["600", "99999999999", "9".repeat(400)]) await http.request("/");
  expect(waits).toEqual([2000, 2000, 3000, 3000]);
  expect(server.seen).toHaveLength(9);
});

test("a request is repeated after a lost connection, and rejects with the last failure", async () => {
  let lost = 2;
  await using server = await serve((request, response) =>
    lost-- > 0 ? request.socket.destroy() : response.end("ok"),
  );
  await using http = open(server.url, { use: [retryRequests(noWait)] });
  expect(await (await http.request("/")).text()).toBe("ok");
  lost = 9;
  await expect(http.request("/")).rejects.toMatchObject({ code: "CLIENT_NO_REPLY", status: 502 });
});

test("an attempt that times out is repeated", async () => {
  let hanging = 1;
  await using server = await serve((_, response) => hanging-- > 0 || response.end("ok"));
  const time = virtualClock();
  await using http = open(server.url, {
    use: [retryRequests(noWait), timeout({ timeoutMs: 300, clock: time })],
  });
  const reply = http.request("/");
  await waitFor(() => server.seen.length === 1);
  await time.advance(300);
  expect(await (await reply).text()).toBe("ok");
  expect(server.seen).toHaveLength(2);
});

test.each([503, "503", [50], ["503"]])(
  "statuses that are no list of statuses are refused: %j",
  (statuses) => {
    expect(() => retryRequests({ statuses: statuses as never })).toThrow(
      expect.objectContaining({ code: "CORE_BAD_CONFIG" }),
    );
  },
);
