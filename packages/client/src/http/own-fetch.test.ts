import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { httpClient, type HttpClientOptions } from "../index.ts";

const open = (options: Omit<HttpClientOptions, "baseUrl">) =>
  httpClient({ baseUrl: "http://service.test", ...options });

/** Returns a reply whose body starts, never ends and ignores the request's signal. */
const unfinishedReply = (cancelled: unknown[] = []): Response =>
  new Response(
    new ReadableStream({
      start: (controller) => controller.enqueue(new Uint8Array(3)),
      cancel: (reason) => void cancelled.push(reason),
    }),
  );

test("a call through a fetch that ignores the signal ends at timeoutMs, before and after the header fields", async () => {
  await using http = open({ timeoutMs: 50, fetch: () => new Promise(() => {}) });
  await expect(http.request("/")).rejects.toMatchObject({ code: "CLIENT_TIMEOUT" });
  const cancelled: unknown[] = [];
  await using slower = open({ timeoutMs: 50, fetch: () => unfinishedReply(cancelled) });
  const reply = await slower.request("/"); // settles before any timer, because this fetch replies immediately
  await expect(reply.text()).rejects.toMatchObject({ code: "CLIENT_TIMEOUT" });
  expect(cancelled).toHaveLength(1);
});

test("a call through a fetch that ignores the signal ends when the caller aborts, and its later reply is cancelled", async () => {
  const reason = new Error("enough");
  const caller = new AbortController();
  const lateReply = Promise.withResolvers<Response>();
  await using http = open({ maxCalls: 1, fetch: () => lateReply.promise });
  const call = http.request("/", { signal: caller.signal });
  caller.abort(reason);
  await expect(call).rejects.toBe(reason);
  const cancelled: unknown[] = [];
  lateReply.resolve(unfinishedReply(cancelled));
  await waitFor(() => cancelled.length === 1);
  expect((await http.request("/")).status).toBe(200); // the call no longer counts
});

test("the body of a stream ends when the caller aborts", async () => {
  const reason = new Error("enough");
  const caller = new AbortController();
  await using http = open({ fetch: () => unfinishedReply() });
  const reply = await http.request("/", { signal: caller.signal, stream: true });
  const text = reply.text();
  caller.abort(reason);
  await expect(text).rejects.toBe(reason);
});

test("a fetch that fails with an error whose message is not a string throws CLIENT_NO_REPLY", async () => {
  for (const message of [Symbol("s"), Object.create(null), { code: 7 }]) {
    const fetch = () => Promise.reject(Object.assign(new Error("x"), { message }));
    await using http = open({ fetch });
    await expect(http.request("/")).rejects.toMatchObject({ code: "CLIENT_NO_REPLY" });
  }
});
