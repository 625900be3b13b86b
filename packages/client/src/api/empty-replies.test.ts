import { expect, test } from "@jest/globals";
import { serve } from "../http/http-service.test-kit.ts";
import { importClient } from "./generated-module.test-kit.ts";

const operation = (operationId: string, type: string) => ({
  operationId,
  responses: { 200: { description: "", content: { [type]: {} } } },
});
const document = {
  openapi: "3.1.0",
  info: { title: "Empty", version: "1" },
  paths: {
    "/text": { get: operation("text", "text/plain"), head: operation("textHead", "text/plain") },
    "/events": { get: operation("events", "text/event-stream") },
  },
};

test("empty replies of declared types have empty bodies, and replies to HEAD have none", async () => {
  await using server = await serve((request, response) => {
    const type = request.url === "/text" ? "text/plain" : "text/event-stream";
    response.writeHead(200, { "content-type": type, "content-length": 0 }).end();
  });
  await using client = (await importClient(document))(server.url);
  expect(await client["text"]?.()).toMatchObject({ status: 200, body: "" });
  expect(await client["textHead"]?.()).toMatchObject({ status: 200, body: undefined });
  const events = (await client["events"]?.())?.body as AsyncIterable<unknown>;
  expect(await events[Symbol.asyncIterator]().next()).toMatchObject({ done: true });
});
