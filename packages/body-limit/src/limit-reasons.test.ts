import { App } from "@framework/core";
import { explainRequests } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { bodyLimit } from "./index.ts";

test("the reason states the declared length and the limit of the route, or of the app", async () => {
  const makeApp = () => {
    const app = new (App.with(bodyLimit))().enableBodyLimit(10);
    app.post("/", () => "accepted");
    app.post("/large", { maxBodyBytes: 20 }, () => "accepted");
    return app;
  };
  const explained = await explainRequests(makeApp, [
    ["POST", "/"],
    ["POST", "/", { body: "12345" }],
    ["POST", "/", { body: "123456789012" }],
    ["POST", "/large", { body: "123456789012" }],
    ["POST", "/", { body: ReadableStream.from([new Uint8Array(3)]) }],
  ]);
  expect(explained.map(({ reply, reasons }) => [reply.status, reasons("body-limit")])).toEqual([
    [200, ["the request has no body"]],
    [200, ["the request declares 5 bytes, the limit is 10 bytes"]],
    [413, ["the request declares 12 bytes, the limit is 10 bytes"]],
    [200, ["the request declares 12 bytes, the limit is 20 bytes (set by the route)"]],
    [200, ["the length is not declared: reading stops above the limit of 10 bytes"]],
  ]);
});
