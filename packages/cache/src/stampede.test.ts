import { Response } from "@framework/core";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { cachedApp, gate } from "./cached-app.test-kit.ts";

const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

test("a thousand concurrent requests make one call and share its reply", async () => {
  const { app, get } = cachedApp();
  const handlerGate = gate();
  let calls = 0;
  app.get("/", async () => {
    calls++;
    await handlerGate.opened;
    return `reply ${calls}`;
  });
  const pendingReplies = times(1000, () => get("/"));
  await waitFor(() => calls > 0);
  handlerGate.open();
  const seen = await Promise.all(pendingReplies);
  expect(calls).toBe(1);
  expect(new Set(seen.map(({ text }) => text))).toEqual(new Set(["reply 1"]));
  expect(seen.filter(({ outcome }) => outcome === "MISS")).toHaveLength(1);
  expect(seen.filter(({ outcome }) => outcome === "HIT")).toHaveLength(999);
  expect(seen.at(-1)?.headers.get("cache-status")).toBe("framework; fwd=uri-miss; collapsed");
});

test("concurrent conditional requests share one complete reply", async () => {
  const { app, get } = cachedApp();
  const handlerGate = gate();
  const conditions: (string | null)[] = [];
  app.get("/", async (request) => {
    conditions.push(
      request.getHeader("if-none-match"),
      request.headers.get("If-None-Match"),
      request.raw.headers.get("if-none-match"),
    );
    await handlerGate.opened;
    return new Response("body", { headers: { etag: '"1"' } });
  });
  const pendingReplies = times(20, (index) => get("/", { "if-none-match": `"${index % 2}"` }));
  await waitFor(() => conditions.length > 0);
  handlerGate.open();
  const seen = await Promise.all(pendingReplies);
  expect(conditions).toEqual([null, null, null]);
  expect(seen.map(({ status }) => status)).toEqual(times(20, (index) => (index % 2 === 1 ? 304 : 200)));
});

/** Returns the number of concurrent calls for 100 concurrent requests whose reply cannot be shared. */
const concurrentCalls = async (
  reply: () => unknown,
  headers: Record<string, string> = {},
): Promise<number> => {
  const { app, get } = cachedApp();
  const first = gate();
  const rest = gate();
  let running = 0;
  app.get("/", async () => {
    await (++running === 1 ? first : rest).opened;
    return reply();
  });
  const pendingReplies = times(100, () => get("/", headers));
  await waitFor(() => running > 0);
  first.open();
  await waitFor(() => running === 100, { subject: "all calls" });
  rest.open();
  await Promise.all(pendingReplies);
  return running;
};

test("a reply that must not be stored is computed for each request, concurrently", async () => {
  const privateReply = () => new Response("x", { headers: { "cache-control": "private" } });
  expect(await concurrentCalls(privateReply)).toBe(100);
  expect(await concurrentCalls(() => new Response("x", { headers: { "set-cookie": "a=b" } }))).toBe(100);
  expect(await concurrentCalls(() => Response.stream(["x"]))).toBe(100);
});

test("requests with an identity are not coalesced", async () => {
  expect(await concurrentCalls(() => "x", { authorization: "Bearer x" })).toBe(100);
});

test("when a shared call fails, all waiting requests proceed", async () => {
  const fail = () => {
    throw new Error("on purpose");
  };
  expect(await concurrentCalls(fail)).toBe(100);
});

test("when the client of a shared call disconnects and its handler fails, all waiting requests proceed", async () => {
  const { app, get } = cachedApp();
  let calls = 0;
  app.get("/", async (request) => {
    if (++calls > 1) return "second";
    const { promise, reject } = Promise.withResolvers<never>();
    request.signal.addEventListener("abort", () => reject(new Error("disconnected")));
    return promise;
  });
  const leader = new AbortController();
  await get("/nowhere");
  void app.fetch(new Request("http://localhost/", { signal: leader.signal }));
  await waitFor(() => calls === 1);
  const pendingReplies = times(5, () => get("/"));
  leader.abort();
  const seen = await Promise.all(pendingReplies);
  expect(seen.map(({ text }) => text)).toEqual(times(5, () => "second"));
});

test("when the client of a shared call disconnects, one of the waiting requests calls the handler for all", async () => {
  const { app, get } = cachedApp();
  let calls = 0;
  const handlerGate = gate();
  app.get("/", async ({ signal }) => {
    if (++calls > 1) {
      await handlerGate.opened;
      return `call ${calls}`;
    }
    const { promise, reject } = Promise.withResolvers<never>();
    signal.addEventListener("abort", () => reject(signal.reason as Error));
    return promise;
  });
  const leader = new AbortController();
  await get("/nowhere");
  void app.fetch(new Request("http://localhost/", { signal: leader.signal })).catch(() => {});
  await waitFor(() => calls === 1);
  const pendingReplies = times(5, () => get("/"));
  leader.abort();
  await waitFor(() => calls > 1);
  const later = times(5, () => get("/"));
  handlerGate.open();
  const seen = await Promise.all([...pendingReplies, ...later]);
  expect(seen.map(({ text }) => text)).toEqual(times(10, () => "call 2"));
});

test("requests wait at most waitSecs for a stuck call", async () => {
  for (const waitSecs of [10, 3]) {
    const { app, get, clock } = cachedApp({ waitSecs });
    const handlerGate = gate();
    let calls = 0;
    app.get("/", async () => {
      if (++calls === 1) await handlerGate.opened;
      return `call ${calls}`;
    });
    const first = get("/");
    await waitFor(() => calls === 1);
    const waiting = times(3, () => get("/"));
    await waitFor(() => clock.pending === 1);
    await clock.advance((waitSecs - 0.001) * 1000);
    expect(calls).toBe(1);
    await clock.advance(0.001 * 1000);
    await Promise.all(waiting);
    expect(calls).toBe(4);
    expect((await get("/")).outcome).toBe("HIT");
    handlerGate.open();
    await first;
  }
});

test("after a reply that cannot be shared, later requests for its key do not wait for each other", async () => {
  const { app, get, clock } = cachedApp();
  const gates = times(3, gate);
  let running = 0;
  app.get("/", async () => {
    await gates[running++]?.opened;
    return new Response("x", { headers: { "cache-control": "private" } });
  });
  gates[0]?.open();
  await get("/");
  const pendingReplies = [get("/"), get("/")];
  await waitFor(() => running === 3);
  gates[1]?.open();
  gates[2]?.open();
  await Promise.all(pendingReplies);
  await clock.advance(10 * 1000);
  const later = [get("/"), get("/")];
  await Promise.all(later);
  expect(running).toBe(5);
});

test("waiting requests for other variants make one call per variant", async () => {
  const { app, get } = cachedApp();
  const handlerGate = gate();
  const calls: (string | null)[] = [];
  app.get("/", async (request) => {
    const language = request.getHeader("accept-language");
    calls.push(language);
    await handlerGate.opened;
    return new Response(language ?? "none", { headers: { vary: "Accept-Language" } });
  });
  const pendingReplies = times(30, (index) =>
    get("/", { "accept-language": ["de", "en", "fr"][index % 3] ?? "" }),
  );
  await waitFor(() => calls.length > 0);
  handlerGate.open();
  const seen = await Promise.all(pendingReplies);
  expect(calls).toHaveLength(3);
  expect(new Set(calls)).toEqual(new Set(["de", "en", "fr"]));
  expect(seen.map(({ text }) => text)).toEqual(times(30, (index) => ["de", "en", "fr"][index % 3]));
});

test("concurrent requests for a stale reply make one call", async () => {
  const { app, get, clock } = cachedApp({ ttl: 10 });
  const handlerGate = gate();
  const seen: (string | null)[] = [];
  app.get("/", async (request) => {
    seen.push(request.getHeader("if-none-match"));
    if (seen.length > 1) await handlerGate.opened;
    return request.getHeader("if-none-match") === '"1"'
      ? new Response(null, { status: 304, headers: { etag: '"1"' } })
      : new Response("body", { headers: { etag: '"1"' } });
  });
  await get("/");
  await clock.advance(10 * 1000);
  const pendingReplies = times(50, () => get("/"));
  await waitFor(() => seen.length === 2);
  handlerGate.open();
  const replies = await Promise.all(pendingReplies);
  expect(seen).toEqual([null, '"1"']);
  expect(replies.every(({ text, outcome }) => text === "body" && outcome === "REVALIDATED")).toBe(true);
});
