import { breaker } from "@framework/breaker";
import { App } from "@framework/core";
import { socketClient, waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import type { HttpClient } from "./http-client.ts";
import { open, serve } from "./http-service.test-kit.ts";
import type { OutgoingRequest } from "./outgoing-request.ts";

/** Creates a breaker that opens at the first failure. */
const strictBreaker = () => breaker<OutgoingRequest, Response>({ failureThreshold: 1 });
const thrownBy = async (call: Promise<unknown>): Promise<unknown> => call.catch((error: unknown) => error);

test.each([
  ["CLIENT_HOST_REFUSED", (http: HttpClient) => http.request("http://10.1.2.3/")],
  ["CLIENT_BAD_URL", (http: HttpClient) => http.request("http://user:secret@10.1.2.3/")],
  ["CLIENT_CLOSED", (http: HttpClient) => Promise.all([http.request("/hang"), http.close()])],
])("a breaker does not count a call that fails with %s", async (code, call) => {
  await using server = await serve(() => {});
  const guard = strictBreaker();
  await using http = open(server.url, { use: [guard] });
  expect(await thrownBy(call(http))).toMatchObject({ code });
  expect(guard.state).toBe("closed");
});

test("a breaker does not count a call above maxCalls", async () => {
  await using server = await serve(() => {});
  const guard = strictBreaker();
  await using http = open(server.url, { use: [guard], maxCalls: 1 });
  const caller = new AbortController();
  const first = thrownBy(http.request("/", { signal: caller.signal }));
  expect(await thrownBy(http.request("/"))).toMatchObject({ code: "CLIENT_TOO_MANY_CALLS" });
  caller.abort(new Error("the user pressed stop"));
  expect(await first).toBe(caller.signal.reason);
  expect(guard.state).toBe("closed");
});

test("a breaker counts a call without a reply", async () => {
  await using server = await serve((request) => request.socket.destroy());
  const guard = strictBreaker();
  await using http = open(server.url, { use: [guard] });
  expect(await thrownBy(http.request("/"))).toMatchObject({ code: "CLIENT_NO_REPLY" });
  expect(guard.state).toBe("open");
});

test.each(["fast", "node"] as const)(
  "a breaker does not count a call within a request whose client disconnects (%s)",
  async (transport) => {
    await using server = await serve(() => {});
    const guard = strictBreaker();
    await using http = open(server.url, { use: [guard] });
    const failure = Promise.withResolvers<unknown>();
    const app = new App();
    app.get("/", async (request) => {
      const error = await thrownBy(http.request("/", { within: request }));
      failure.resolve(error);
      throw error;
    });
    await using client = socketClient(app, { transport, log: { info() {}, warn() {}, error() {} } });
    const visitor = new AbortController();
    const reply = client.get("/", { signal: visitor.signal }).catch(() => null);
    await waitFor(() => server.seen.length === 1);
    visitor.abort();
    expect(await reply).toBeNull();
    expect(await failure.promise).toMatchObject({ code: "CORE_CLIENT_DISCONNECTED" });
    expect(guard.state).toBe("closed");
  },
);
