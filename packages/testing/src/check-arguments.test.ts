import { App } from "@framework/core";
import { expect, test } from "@jest/globals";
import { clientFor, contractTest, socketClient, testClient, type TestInit } from "./index.ts";

const badOption = (message: unknown) => expect.objectContaining({ code: "TESTING_BAD_OPTION", message });
const milliseconds = "must be a number of milliseconds from 1 to 2147483647";

test("malformed and unknown options of a client are refused together, by name", () => {
  const options = {
    timeoutMs: -1,
    maxReplyBytes: NaN,
    cookie: true,
    headers: { "a b": "c" },
    now: 1,
  } as object;
  const problems = [
    `timeoutMs ${milliseconds}`,
    "maxReplyBytes must be a whole number of bytes, or Infinity",
    'there is no option "cookie"; did you mean cookies?',
    "headers must be header fields with valid names and values",
    "now must be a function",
  ].join("; ");
  expect(() => testClient(new App(), options)).toThrow(badOption(`testClient: ${problems}`));
  expect(() => socketClient(new App(), options)).toThrow(badOption(`socketClient: ${problems}`));
  expect(() => clientFor("http://127.0.0.1:1", options)).toThrow(badOption(`clientFor: ${problems}`));
});

test("only clients that start the app accept its options", async () => {
  await using client = testClient(new App(), { env: "production", maxReplyBytes: Infinity, timeoutMs: 5000 });
  expect((await client.get("/")).status).toBe(404);
  const options = { env: "production" } as object;
  expect(() => clientFor("http://127.0.0.1:1", options)).toThrow(
    badOption('clientFor: there is no option "env"'),
  );
});

test.each([
  "nope",
  "http://127.0.0.1:1/api?x=1",
  "http://127.0.0.1:1/?x",
  "http://u:p@h",
  "ftp://h",
  "http://h/#",
])("clientFor refuses %j, whose path would be lost", (url) => {
  expect(() => clientFor(url)).toThrow(badOption(expect.stringContaining(`not ${JSON.stringify(url)}`)));
});

test("clientFor takes a URL with and without a trailing slash", () => {
  expect(clientFor("http://127.0.0.1:1/").logs).toEqual([]);
  expect(clientFor("https://host.example").logs).toEqual([]);
});

test("a path that is invalid in a request line is refused over a socket", async () => {
  await using client = socketClient(new App());
  await expect(client.get("/a b")).rejects.toThrow(
    badOption('the path "/a b" is invalid in a request line; encode it, as encodeURI does'),
  );
});

test("malformed and unknown options of a contract test are refused", async () => {
  const options = { runs: 0, seed: NaN, nope: 1 } as object;
  await expect(contractTest(new App(), options)).rejects.toThrow(
    badOption(
      `contractTest: runs must be a whole number of at least 1; seed must be a whole number of at least ${Number.MIN_SAFE_INTEGER}; there is no option "nope"`,
    ),
  );
});

test.each<[string, TestInit, string]>([
  ["a function as JSON", { json: () => 1 }, "the value of json is not JSON"],
  ["a bigint as JSON", { json: 1n }, "the value of json is not JSON"],
  ["the name of a header field", { headers: { "a b": "1" } }, "header fields with valid names and values"],
])("%s that cannot be sent is refused", async (_, init, message) => {
  await using client = testClient(new App());
  await expect(client.post("/", init)).rejects.toThrow(badOption(expect.stringContaining(message)));
});

test("a malformed method and a path that is no string are refused", async () => {
  await using client = testClient(new App());
  await expect(client.request("G T", "/")).rejects.toThrow(badOption('"G T" is not a method'));
  await expect(client.get(7 as never)).rejects.toThrow(badOption('a path must start with "/", not 7'));
});

test("undefined in a list of a query or form is omitted, as in place of a list", async () => {
  const app = new App();
  app.post("/", async (request) => `${request.query.toString()} ${await request.text()}`);
  await using client = testClient(app);
  const fields = { a: ["x", undefined] as string[], b: undefined };
  expect((await client.post("/", { query: fields, form: fields })).text).toBe("a=x a=x");
});
