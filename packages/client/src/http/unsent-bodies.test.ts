import { expect, test } from "@jest/globals";
import { open } from "./http-service.test-kit.ts";

test("the source of a stream is cancelled when the call fails before the stream is sent", async () => {
  const cancelled: unknown[] = [];
  const body = () => new ReadableStream({ cancel: (reason) => void cancelled.push(reason) });
  const failed = async (call: Promise<unknown>) => call.catch((error: unknown) => error);
  const http = open("http://service.test", { maxCalls: 1, fetch: () => new Response("unread") });
  const errors = [await failed(http.request("http://other.test/", { method: "POST", body: body() }))];
  const misspelt = { method: "POST", body: body(), jsn: 1 };
  errors.push(await failed(http.request("/", misspelt)));
  await http.request("/");
  errors.push(await failed(http.request("/", { method: "POST", body: body() })));
  await http.close();
  errors.push(await failed(http.request("/", { method: "POST", body: body() })));
  expect(cancelled).toEqual(errors);
  expect(errors).toMatchObject([
    { code: "CLIENT_HOST_REFUSED" },
    { code: "CLIENT_BAD_PARAMETER" },
    { code: "CLIENT_TOO_MANY_CALLS" },
    { code: "CLIENT_CLOSED" },
  ]);
});

test("a stream is cancelled when the call sends json instead", async () => {
  const cancelled: unknown[] = [];
  const body = new ReadableStream({ cancel: (reason) => void cancelled.push(reason) });
  await using http = open("http://service.test", {
    fetch: async (request) => new Response(await request.text()),
  });
  expect(await (await http.request("/", { method: "POST", json: 1, body })).text()).toBe("1");
  expect(cancelled).toEqual(["the call sends json instead"]);
});
