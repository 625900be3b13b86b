import { RequestId, Response } from "@framework/core";
import { testClient, waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { jsonAccessLine, textAccessLine } from "./access-line.ts";
import { canary, loggedApp } from "./collected-log.test-kit.ts";
import { logOf } from "./index.ts";

test("no secret of headers, bodies, queries or fields is ever written", async () => {
  const { app, text } = loggedApp({ logHeaders: true, logBody: true, redact: ["X-Service-Key", "pin"] });
  app.use((request, next) => {
    request.context.set(RequestId, "id-1");
    return next(request);
  });
  app.post("/in", async (request) => {
    const body = await request.bodyValue();
    logOf(request).info(`connecting to postgres://ada:${canary}@db/books`, {
      password: canary,
      deep: [{ headers: { Authorization: canary, "Set-Cookie": [canary] } }],
      body,
      error: new Error(`Bearer ${canary}${canary} was refused`, { cause: { accessToken: canary } }),
      shown: "books",
    });
    return app.log() && { token: canary, title: "Emma" };
  });
  await using client = testClient(app);
  const headers = {
    authorization: `Bearer ${canary}`,
    cookie: `session_id=${canary}`,
    "x-api-key": canary,
    "x-service-key": canary,
    accept: "application/json",
  };
  await client.post("/in", {
    headers,
    query: { token: canary },
    json: { title: "Emma", pin: canary, user: { client_secret: canary } },
  });
  await client.post("/in", { headers, form: { title: "Emma", password: canary } });
  await waitFor(() => text().split('"method"').length > 2);
  expect(text()).not.toContain(canary);
  const lines = text()
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines.find(({ method }) => method === "POST")).toMatchObject({
    request_headers: { authorization: "[redacted]", accept: "application/json" },
    request_body: { title: "Emma", pin: "[redacted]", user: { client_secret: "[redacted]" } },
    response_body: { token: "[redacted]", title: "Emma" },
  });
  expect(lines.find(({ message }) => message !== undefined)).toMatchObject({
    message: "connecting to postgres://[redacted]@db/books",
    shown: "books",
    deep: [{ headers: { Authorization: "[redacted]" } }],
    request_id: "id-1",
  });
});

test("no query or fragment of a URL in a header field is written", async () => {
  const { app, text } = loggedApp({ logHeaders: true });
  const urls: Readonly<Record<string, string>> = {
    location: `/in?token=${canary}`,
    "content-location": `?${canary}`,
    refresh: `0; url=/in#access_token=${canary}`,
    link: `<https://books.example/?page=${canary}>; rel="next"`,
    "x-next": `/in?1,${canary}`,
  };
  app.get("/", () => {
    const reply = new Response("moved");
    for (const [name, value] of Object.entries(urls)) reply.setHeader(name, value);
    return reply;
  });
  await using client = testClient(app);
  await client.get("/", {
    headers: {
      referer: `https://books.example/reset?q=a b&token=${canary}`,
      "x-original-url": `/reset?token="${canary}"`,
      "sec-ch-ua-mobile": "?0",
      priority: "u=1, i=?1",
      "x-issue": "#42",
    },
  });
  await waitFor(() => text() !== "");
  expect(text()).not.toContain(canary);
  expect(JSON.parse(text())).toMatchObject({
    request_headers: {
      referer: "https://books.example/reset?[redacted]",
      "x-original-url": "/reset?[redacted]",
      "sec-ch-ua-mobile": "?0",
      priority: "u=1, i=?1",
      "x-issue": "#42",
    },
    response_headers: { location: "/in?[redacted]", refresh: "0; url=/in#[redacted]" },
  });
});

test("bodies that are too long, malformed or of another type are written as their size", async () => {
  const { app, text } = loggedApp({ logBody: true, maxLoggedBodyBytes: 20 });
  app.post("/in", (request) => request.text());
  await using client = testClient(app);
  const send = (body: string, type: string) =>
    client.post("/in", { body, headers: { "content-type": type } });
  await send(`{"title":"${canary}${canary}${canary}"}`, "application/json");
  await send(`{"token":${canary}`, "application/json");
  await send(canary, "text/plain");
  await waitFor(() => text().split("\n").length > 3);
  expect(text()).not.toContain(canary);
  expect(text()).toContain('"request_body":"[30 bytes]"');
  expect(text()).toContain('"request_body":"[15 bytes, malformed]"');
});

test("every value of a form's repeated name is in the line, and a secret one is redacted each time", async () => {
  const { app, text } = loggedApp({ logBody: true });
  app.post("/in", async (request) => (await request.form()) && "read");
  await using client = testClient(app);
  await client.post("/in", { form: { tag: ["a", "b"], title: "Emma", pin_token: [canary, canary] } });
  await waitFor(() => text() !== "");
  expect(JSON.parse(text())).toMatchObject({
    request_body: { tag: ["a", "b"], title: "Emma", pin_token: ["[redacted]", "[redacted]"] },
  });
});

test("any name in redact, such as value, redacts only the members of that name", async () => {
  const { app, text } = loggedApp({ logBody: true, redact: ["value"] });
  app.post("/in", (request) => request.json());
  await using client = testClient(app);
  await client.post("/in", { json: { title: "Emma", value: canary } });
  await waitFor(() => text() !== "");
  const body = { title: "Emma", value: "[redacted]" };
  expect(JSON.parse(text())).toMatchObject({ request_body: body, response_body: body });
});

test("the line of a HEAD request has no response body, because none is sent", async () => {
  const { app, text } = loggedApp({ logBody: true });
  app.get("/", () => ({ title: "Emma" }));
  await using client = testClient(app);
  await client.request("HEAD", "/");
  await client.get("/");
  await waitFor(() => text().split("\n").length > 2);
  const [head, get] = text().split("\n");
  expect([head?.includes("response_body"), get?.includes("response_body")]).toEqual([false, true]);
});

test("logBody does not read a body that the handler does not read", async () => {
  const { app, text } = loggedApp({ logBody: true });
  app.post("/in", () => "unread");
  await using client = testClient(app);
  await client.post("/in", { json: { a: 1 } });
  await waitFor(() => text() !== "");
  expect(text()).not.toContain("request_body");
});

const nasty = fc.constantFrom(
  "\n",
  "\r",
  "\u0000",
  "\u001b[31m",
  "\u007f",
  "\u009b31m",
  "\u2028",
  "\u202e",
  "\u2066",
  "\u061c",
  "\u200b",
  "\u200f",
  "\ufeff",
  "\ud800",
  '"',
  "\\",
);
const anyText = fc.string({
  unit: fc.oneof(
    nasty,
    fc.nat({ max: 0x10ffff }).map((point) => String.fromCodePoint(point)),
  ),
  maxLength: 40,
});
const outcome = { status: 200, latencyMs: 1, bytes: 0, aborted: false, error: null, details: null };
const asRequest = (path: string, requestId: string) =>
  ({ method: "GET", path, route: path, requestId, clientIp: null, context: { get: () => null } }) as never;

test("the line of any request is a single line of JSON, and parses to the request's values", () => {
  const json = jsonAccessLine(() => "now");
  const text = textAccessLine(() => "now", false);
  // oxlint-disable-next-line no-control-regex -- control characters are the subject
  const control = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/;
  fc.assert(
    fc.property(anyText, anyText, (path, id) => {
      const request = asRequest(path, id);
      const line = json(request, { ...outcome, error: path, details: { more: { [id]: path } } });
      expect(control.test(line.slice(0, -1))).toBe(false);
      expect(JSON.parse(line)).toMatchObject({
        path,
        request_id: id,
        route: path,
        error: path,
        more: { [id]: path },
      });
      const shown = text(request, { ...outcome, error: path, details: { more: id } });
      expect(control.test(shown.slice(0, -1))).toBe(false);
    }),
  );
});

test("a record stays below 16 KiB, for any fields", async () => {
  const { app, text } = loggedApp({ logHeaders: true });
  app.get("/long", (request) => {
    logOf(request).info(
      "m".repeat(100_000),
      Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`f${at}`, "\u0000".repeat(5000)])),
    );
    return "done";
  });
  await using client = testClient(app);
  await client.get("/long", {
    headers: Object.fromEntries(Array.from({ length: 90 }, (_, at) => [`x-${at}`, "é".repeat(150)])),
  });
  await waitFor(() => text().split("\n").length > 2);
  const lines = text().split("\n").slice(0, -1);
  for (const line of lines) expect(Buffer.byteLength(line)).toBeLessThan(16_384);
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({ level: "info", cut: expect.any(Number) });
});

test("in a record that is cut, line breaks, direction marks and escape codes of the message stay escaped", async () => {
  const { app, text } = loggedApp({});
  app.get("/", (request) => {
    const fields = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`f${at}`, "x".repeat(1000)]));
    logOf(request).info("a\u2028b\u202ec\u009bd", fields);
    return "done";
  });
  await using client = testClient(app);
  await client.get("/");
  await waitFor(() => text() !== "");
  const [line = ""] = text().split("\n");
  expect(line).toContain('"message":"a\\u2028b\\u202ec\\u009bd","cut":');
  expect(JSON.parse(line)).toMatchObject({ message: "a\u2028b\u202ec\u009bd" });
});
