import { App, Response } from "@framework/core";
import { explainRequests } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { csrf, csrfToken, securityHeaders } from "./index.ts";

test("reasons have the number of added security fields, and the names of fields that the reply already had or that need TLS", async () => {
  const makeApp = () => {
    const app = new (App.with(securityHeaders))().enableSecurityHeaders();
    app.get("/", () => Response.text("x", { headers: { "x-frame-options": "SAMEORIGIN" } }));
    return app;
  };
  const [explained] = await explainRequests(makeApp, [["GET", "/"]]);
  expect(explained?.reasons("security-headers")).toEqual([
    expect.stringMatching(/^[4-9] fields added$/),
    "already in the reply: x-frame-options",
    "omitted without TLS: strict-transport-security",
  ]);
});

const makeApp = () => {
  const app = new (App.with(csrf))().enableCsrf({ secret: "s".repeat(32), skipPaths: ["/hooks"] });
  app.get("/token", (request) => csrfToken(request));
  app.post("/books", () => "made");
  app.post("/hooks/paid", () => "thanks");
  return app;
};

test("CSRF reasons explain why a request needs no token, or why it is refused", async () => {
  const own = { cookie: "_csrf=planted" };
  const explained = await explainRequests(makeApp, [
    ["GET", "/token"],
    ["POST", "/hooks/paid"],
    ["POST", "/books", { headers: { authorization: "Bearer planted" } }],
    ["POST", "/books", { headers: { origin: "https://evil.example" } }],
    ["POST", "/books"],
    ["POST", "/books", { headers: own }],
  ]);
  const unchecked = "there is no token to compare with the caller";
  expect(explained.map(({ reply, reasons }) => [reply.status, reasons("csrf")])).toEqual([
    [200, ["a safe method needs no token", unchecked]],
    [200, ["skipPaths covers the path", unchecked]],
    [200, ["Authorization without cookies, which browsers do not send automatically", unchecked]],
    [403, ["the request comes from another origin, according to Sec-Fetch-Site, Origin or Referer"]],
    [403, ["the request has no token cookie"]],
    [403, ["the token cookie is malformed, expired or of another session"]],
  ]);
  expect(JSON.stringify(explained.map(({ steps }) => steps))).not.toContain("planted");
});

test("reasons distinguish a valid token from a missing or invalid one", async () => {
  const [first] = await explainRequests(makeApp, [["GET", "/token"]]);
  const token = first?.reply.text ?? "";
  const headers = { cookie: `_csrf=${token}` };
  const explained = await explainRequests(makeApp, [
    ["POST", "/books", { headers }],
    ["POST", "/books", { headers: { ...headers, "x-csrf-token": "planted" } }],
    ["POST", "/books", { headers: { ...headers, "x-csrf-token": token } }],
  ]);
  expect(explained.map(({ reply, reasons }) => [reply.status, reasons("csrf")])).toEqual([
    [403, ["neither the header field nor the form contains a token"]],
    [403, ["the token is invalid, or does not match the cookie"]],
    [200, ["cookie and request have valid tokens of this session", "the tokens belong to the caller"]],
  ]);
  const text = JSON.stringify(explained.map(({ steps }) => steps));
  expect([text.includes(token), text.includes("planted")]).toEqual([false, false]);
});
