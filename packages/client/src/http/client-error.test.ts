import { App, HttpError } from "@framework/core";
import { expect, test } from "@jest/globals";
import { ClientError } from "./client-error.ts";
import { httpClient, type HttpClient } from "./http-client.ts";

/** Starts an app whose only handler calls another service, and records its warnings and errors. */
const startApp = async (client: HttpClient) => {
  const warnings: unknown[] = [];
  const app = new App();
  app.get("/order", async (request) => await (await client.request("/stock", { within: request })).text());
  await app.start({
    env: "production",
    log: { info() {}, warn: (text) => void warnings.push(text), error: (text) => void warnings.push(text) },
  });
  return {
    warnings,
    get: async () => {
      const reply = await app.fetch(new Request("http://localhost/order"));
      return { status: reply.status, text: await reply.text() };
    },
    async [Symbol.asyncDispose]() {
      await client[Symbol.asyncDispose]();
      await app.stop();
    },
  };
};

const baseUrl = "http://stock.internal:8080";
const hanging = (request: Request): Promise<Response> =>
  new Promise((_, reject) => {
    request.signal.addEventListener("abort", () => reject(request.signal.reason));
  });

test("a reply for an uncaught ClientError has the error's status, and only the log names the service", async () => {
  const refuse = () => Promise.reject(new Error("connect ECONNREFUSED 10.0.0.7:8080"));
  await using broken = await startApp(httpClient({ baseUrl, fetch: refuse }));
  expect(await broken.get()).toEqual({
    status: 502,
    text: '{"error":"Bad Gateway","detail":"An upstream service failed","status":502}',
  });
  expect(broken.warnings).toEqual([
    "GET /order failed: GET http://stock.internal:8080/stock failed: connect ECONNREFUSED 10.0.0.7:8080",
  ]);
  await using slow = await startApp(httpClient({ baseUrl, fetch: hanging, timeoutMs: 10 }));
  expect(await slow.get()).toEqual({
    status: 504,
    text: '{"error":"Gateway Timeout","detail":"An upstream service did not respond in time","status":504}',
  });
  expect(slow.warnings).toEqual([
    "GET /order failed: GET http://stock.internal:8080/stock took longer than 10 ms",
  ]);
  await using full = await startApp(httpClient({ baseUrl, fetch: hanging, maxCalls: 1, timeoutMs: 200 }));
  const first = full.get();
  expect(await full.get()).toEqual({
    status: 503,
    text: '{"error":"Service Unavailable","detail":"An upstream service is not available","status":503}',
  });
  expect((await first).status).toBe(504);
});

test("an error has its code, and its message and stack name the call", () => {
  const error = new ClientError("CLIENT_TIMEOUT", "GET http://a.test/ took longer than 10 ms", {
    status: 504,
  });
  expect(error).toBeInstanceOf(HttpError);
  expect(error).toMatchObject({ code: "CLIENT_TIMEOUT", status: 504, error: "Gateway Timeout" });
  expect(error.stack).toContain("GET http://a.test/ took longer than 10 ms");
});
