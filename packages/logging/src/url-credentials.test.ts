import { Response } from "@framework/core";
import { testClient, waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { canary, loggedApp } from "./collected-log.test-kit.ts";
import { logOf } from "./index.ts";

test("no part of a password in a URL or of a token is written, wherever the text is cut", async () => {
  const { app, text } = loggedApp({});
  const secrets = [
    `postgres://app:${"Q".repeat(40)}@db.internal/books`,
    `postgres://app:${"Q".repeat(9000)}@db.internal/books`,
    `postgres://app:Q'Q"Q@Q@db.internal/books`,
    `postgres://app:Q",Q":Q"}Q@db.internal/books`,
    JSON.stringify([`postgres://app:Q","Q"}],{"Q@db.internal/books`]),
    `Authorization: Bearer ${"Q".repeat(40)}`,
    `Authorization: Basic ${"Q".repeat(9000)}`,
  ];
  app.get("/", (request) => {
    for (const secret of secrets) {
      for (let at = 0; at <= 70; at++) {
        const write = (length: number): string => "x".repeat(length - at) + secret;
        const error = new Error("failed", { cause: write(1024) });
        error.stack = write(8192);
        logOf(request).info(write(2048), { field: write(1024), error });
      }
    }
    return "written";
  });
  await using client = testClient(app);
  await client.get("/");
  await waitFor(() => text().includes('"path"'));
  const leaks = text().matchAll(/.{10}Q.{10}/g);
  expect(Array.from(leaks, ([leak]) => leak).slice(0, 3)).toEqual([]);
  expect(text().split("://[redacted]@db.internal/books").length).toBeGreaterThan(100);
});

test("a URL without credentials is written unchanged", async () => {
  const { app, text } = loggedApp({});
  app.get("/", (request) => {
    logOf(request).info("see https://books.example/@ada and mailto:ada@books.example", {
      urls: ["https://books.example:8443", "ada@books.example"],
    });
    return "written";
  });
  await using client = testClient(app);
  await client.get("/");
  await waitFor(() => text().includes('"path"'));
  expect(text()).toContain("see https://books.example/@ada and mailto:ada@books.example");
  expect(text()).toContain('["https://books.example:8443","ada@books.example"]');
});

test("text between two URLs of compact JSON is written, without the credentials of either", async () => {
  const { app, text } = loggedApp({});
  const members = { url: "https://books.example", mail: "ada@books.example" };
  const credentials = { url: `http://ada:${canary}@a`, more: `http://${canary}@b` };
  const values = [members, ["http://a", [], "x@b"], [["http://a"], { mail: "x@b" }], { "http://a": "x@b" }];
  app.get("/", (request) => {
    for (const value of values) logOf(request).info(`got ${JSON.stringify(value)}`);
    logOf(request).info(`got ${JSON.stringify(credentials)}`);
    return "written";
  });
  await using client = testClient(app);
  await client.get("/");
  await waitFor(() => text().includes('"path"'));
  const messages = text()
    .trim()
    .split("\n")
    .map((line) => (JSON.parse(line) as { message?: string }).message);
  expect(messages).toEqual(expect.arrayContaining(values.map((value) => `got ${JSON.stringify(value)}`)));
  expect(messages).toContain('got {"url":"http://[redacted]@a","more":"http://[redacted]@b"}');
});

test("the error of a streamed body is written without credentials", async () => {
  const { app, text } = loggedApp({});
  app.get("/", () => {
    async function* rows(): AsyncGenerator<string> {
      await Promise.resolve();
      yield "first";
      throw new Error(`lost postgres://ada:${canary}@db/books`);
    }
    return Response.stream(rows());
  });
  await using client = testClient(app);
  await client.get("/").catch(() => {});
  await waitFor(() => text().includes('"path"'));
  expect(text()).toContain('"error":"lost postgres://[redacted]@db/books"');
  expect(text()).not.toContain(canary);
});
