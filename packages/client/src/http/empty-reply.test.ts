import { expect, test } from "@jest/globals";
import { httpClient } from "./http-client.ts";
import { open, serve } from "./http-service.test-kit.ts";

const unread = [
  ["HEAD", "/", false],
  ["HEAD", "/", true],
  ["GET", "/empty", false],
  ["GET", "/empty", true],
] as const;

test.each(unread)(
  "an unread empty reply to %s %s does not count as a call in progress (stream: %s)",
  async (method, path, stream) => {
    await using server = await serve((request, response) => {
      if (request.url === "/empty") response.writeHead(200, { "content-length": 0 });
      response.end(request.url === "/empty" ? "" : "body");
    });
    await using http = open(server.url, { maxCalls: 1 });
    for (let call = 0; call < 3; call++)
      expect((await http.request(path, { method, stream })).status).toBe(200);
  },
);

test.each(["HEAD", "GET"])(
  "an empty reply of the program's own fetch to %s does not count as a call in progress",
  async (method) => {
    const fetch = () => new Response("", { headers: { "content-length": "0" } });
    await using http = httpClient({ baseUrl: "http://service.test", maxCalls: 1, fetch });
    for (let call = 0; call < 3; call++) expect((await http.request("/", { method })).status).toBe(200);
  },
);

test("a reply to HEAD has no body, and a reply of length 0 has an empty body", async () => {
  await using server = await serve((_, response) => response.writeHead(200, { "content-length": 0 }).end());
  await using http = open(server.url);
  expect((await http.request("/", { method: "HEAD" })).body).toBeNull();
  const reply = await http.request("/");
  expect([reply.headers.get("content-type"), reply.body, await reply.text()]).toEqual([
    null,
    expect.any(ReadableStream),
    "",
  ]);
});

test("a connection is reused after replies without a body", async () => {
  const sockets = new Set<object>();
  await using server = await serve((request, response) => {
    sockets.add(request.socket);
    response.writeHead(200, { "content-length": 0 }).end();
  });
  await using http = open(server.url, { maxConnections: 1 });
  for (let call = 0; call < 4; call++) await http.request("/");
  expect(sockets.size).toBe(1);
});
