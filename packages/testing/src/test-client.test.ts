// oxlint-disable jest/no-standalone-expect -- the facts run inside the tests that eachClient registers
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import { App, type AppSettings, Response } from "@framework/core";
import type { Feature } from "@framework/core/feature";
import { expect, test } from "@jest/globals";
import { eachClient } from "./each-client.ts";
import { clientFor, socketClient, testClient } from "./test-client.ts";
import { waitFor } from "./wait-for.ts";

/** Answers what it was asked. */
const echo = (): App => {
  const app = new App();
  app.route("/echo", { methods: ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] }, async (request) => ({
    method: request.method,
    query: request.query.toObject(),
    type: request.getHeader("content-type"),
    length: request.getHeader("content-length"),
    header: request.getHeader("x-one"),
    host: request.host,
    body: await request.text(),
  }));
  app.get("/plain", () => new Response("plain", { headers: { "x-one": "1" } }));
  app.get("/empty", () => null);
  app.get("/bytes", () => new Uint8Array([0, 255, 128]));
  app.get("/moved", () => Response.redirect("/plain"));
  app.get("/boom", () => {
    throw new Error("boom");
  });
  return app;
};

eachClient(test, echo, {
  "each method has its own member": async (client) => {
    const asked = [client.get, client.post, client.put, client.patch, client.delete, client.options];
    const replies = await Promise.all(asked.map((ask) => ask("/echo")));
    const methods = replies.map((reply) => reply.json<{ method: string }>().method);
    expect(methods).toEqual(["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);
  },

  "head answers with fields and no body": async (client) => {
    const reply = await client.head("/plain");
    expect([reply.status, reply.text, reply.headers.get("content-length")]).toEqual([200, "", "5"]);
  },

  "a method is sent in capitals": async (client) => {
    expect((await client.request("patch", "/echo")).json()).toMatchObject({ method: "PATCH" });
  },

  "query fields are encoded, lists repeat and undefined is left out": async (client) => {
    const query = { q: "a b&c", n: 2, all: ["x", "y"], none: undefined, yes: true };
    const reply = await client.get("/echo?first=1", { query });
    expect(reply.json()).toMatchObject({
      query: { first: "1", q: "a b&c", n: "2", all: ["x", "y"], yes: "true" },
    });
  },

  "json is sent as JSON with its length, null included": async (client) => {
    const reply = await client.post("/echo", { json: { title: "Emma" } });
    expect(reply.json()).toMatchObject({ type: "application/json", length: "16", body: '{"title":"Emma"}' });
    expect((await client.post("/echo", { json: null })).json()).toMatchObject({ body: "null" });
  },

  "form fields are sent urlencoded": async (client) => {
    const reply = await client.post("/echo", { form: { a: "1 2", b: ["x", "y"] } });
    const type = expect.stringMatching(/^application\/x-www-form-urlencoded/);
    expect(reply.json()).toEqual(expect.objectContaining({ type, body: "a=1+2&b=x&b=y" }));
  },

  "form data is sent as multipart": async (client) => {
    const form = new FormData();
    form.append("note", "hello");
    form.append("file", new Blob(["content"]), "a.txt");
    const { type, body } = (await client.post("/echo", { form })).json<{ type: string; body: string }>();
    expect(type).toMatch(/^multipart\/form-data; boundary=/);
    expect(body).toContain('filename="a.txt"');
  },

  "a text body says what it is unless the request does": async (client) => {
    const plain = await client.post("/echo", { body: "é" });
    expect(plain.json()).toMatchObject({ type: "text/plain;charset=UTF-8", length: "2", body: "é" });
    const csv = await client.post("/echo", { body: "a,b", headers: { "content-type": "text/csv" } });
    expect(csv.json()).toMatchObject({ type: "text/csv" });
  },

  "a stream goes out in pieces, without a length": async (client) => {
    async function* pieces() {
      yield new TextEncoder().encode("one ");
      yield new TextEncoder().encode("two");
    }
    expect((await client.post("/echo", { body: pieces() })).json()).toMatchObject({
      length: null,
      body: "one two",
    });
    const blob = new Blob(["from a web stream"]);
    expect((await client.post("/echo", { body: blob.stream() })).json()).toMatchObject({
      body: "from a web stream",
    });
  },

  "the host of a request can be named": async (client) => {
    const reply = await client.get("/echo", { headers: { host: "books.test" } });
    expect(reply.json()).toMatchObject({ host: "books.test" });
  },

  "a reply has its status, fields, text and bytes": async (client) => {
    const plain = await client.get("/plain");
    expect([plain.status, plain.headers.get("x-one"), plain.text]).toEqual([200, "1", "plain"]);
    expect([...(await client.get("/bytes")).bytes]).toEqual([0, 255, 128]);
  },

  "a reply without a body is empty": async (client) => {
    const reply = await client.get("/empty");
    expect([reply.status, reply.text, reply.bytes.length]).toEqual([204, "", 0]);
  },

  "a redirect is not followed": async (client) => {
    const reply = await client.get("/moved");
    expect([reply.status, reply.headers.get("location")]).toEqual([302, "/plain"]);
  },

  "an error is described as in development": async (client) => {
    expect((await client.get("/boom")).json()).toMatchObject({ status: 500, detail: "boom" });
  },

  "json names the request and shows the body that is none": async (client) => {
    const reply = await client.get("/plain");
    const message = /^GET \/plain answered 200 with text\/plain; charset=utf-8, not JSON .*: plain$/;
    expect(() => reply.json()).toThrow(expect.objectContaining({ code: "TESTING_NOT_JSON" }));
    expect(() => reply.json()).toThrow(message);
  },

  "two bodies are refused": async (client) => {
    const both = client.post("/echo", { json: {}, body: "x" });
    await expect(both).rejects.toMatchObject({ code: "TESTING_BAD_OPTION" });
  },

  "a path without a slash is refused": async (client) => {
    await expect(client.get("echo")).rejects.toMatchObject({ code: "TESTING_BAD_OPTION" });
  },

  "a request after disposal is refused": async (client) => {
    await client[Symbol.asyncDispose]();
    await expect(client.get("/plain")).rejects.toMatchObject({ code: "TESTING_CLIENT_CLOSED" });
  },
});

eachClient(
  test,
  echo,
  {
    "settings reach the app: production hides what went wrong": async (client) => {
      const reply = await client.get("/boom");
      expect(reply.status).toBe(500);
      expect(reply.text).not.toContain("boom");
    },

    "fields of the client go with every request, those of the request win": async (client) => {
      expect((await client.get("/echo")).json()).toMatchObject({ header: "client" });
      const own = await client.get("/echo", { headers: { "X-One": "request" } });
      expect(own.json()).toMatchObject({ header: "request" });
    },

    "limits reach the app": async (client) => {
      expect((await client.post("/echo", { body: "12345678901" })).status).toBe(413);
    },
  },
  { env: "production", headers: { "x-one": "client" }, limits: { maxBodyBytes: 10 } },
);

eachClient(
  test,
  echo,
  {
    "a reply over the client's bound is an error": async (client) => {
      await expect(client.get("/echo")).rejects.toMatchObject({ code: "TESTING_REPLY_TOO_LARGE" });
    },
  },
  { maxReplyBytes: 60 },
);

test("the environment of the test run decides nothing", async () => {
  const before = process.env["FRAMEWORK_ENV"];
  process.env["FRAMEWORK_ENV"] = "production";
  try {
    for (const connect of [testClient, socketClient]) {
      await using client = connect(echo());
      expect((await client.get("/boom")).text).toContain("boom");
    }
  } finally {
    if (before === undefined) delete process.env["FRAMEWORK_ENV"];
    else process.env["FRAMEWORK_ENV"] = before;
  }
});

test("what the app logs goes to the logger of the options", async () => {
  for (const connect of [testClient, socketClient]) {
    const errors: unknown[] = [];
    const log = { info() {}, warn() {}, error: (message: string) => void errors.push(message) };
    await using client = connect(echo(), { log });
    await client.get("/boom");
    expect(errors).toHaveLength(1);
  }
});

test("a start error reaches the first request, through either door", async () => {
  for (const connect of [testClient, socketClient]) {
    const app = new App();
    app.get("/", () => "one");
    app.get("/", () => "two");
    await using client = connect(app);
    await expect(client.get("/")).rejects.toMatchObject({ name: "ConfigurationError" });
  }
});

test("disposing stops the app once, whichever door it had", async () => {
  for (const connect of [testClient, socketClient]) {
    const events: string[] = [];
    const app = new App()
      .onEvent("startup", () => void events.push("startup"))
      .onEvent("shutdown", () => void events.push("shutdown"));
    app.get("/", () => "hello");
    const client = connect(app);
    await client.get("/");
    await Promise.all([client[Symbol.asyncDispose](), client[Symbol.asyncDispose]()]);
    expect(events).toEqual(["startup", "shutdown"]);
  }
});

test("a client that asked nothing starts nothing", async () => {
  const events: string[] = [];
  const app = new App().onEvent("startup", () => void events.push("startup"));
  await socketClient(app)[Symbol.asyncDispose]();
  await testClient(app)[Symbol.asyncDispose]();
  expect(events).toEqual([]);
});

test("fetch refuses a body that a web request cannot carry", async () => {
  await using client = testClient(echo());
  await expect(client.request("GET", "/echo", { body: "x" })).rejects.toThrow("socketClient");
});

test("a socket takes a path as it is", async () => {
  await using client = socketClient(echo());
  expect((await client.get("/a/../plain")).status).toBe(400);
});

test("one app serves other clients at the address of its socket client, and these leave it running", async () => {
  await using owner = socketClient(echo());
  const url = await owner.url();
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/);
  {
    await using guest = clientFor(url);
    expect((await guest.get("/plain")).text).toBe("plain");
  }
  expect((await owner.get("/plain")).text).toBe("plain");
});

test("nothing listens at the address after disposal", async () => {
  const owner = socketClient(echo());
  await owner.get("/plain");
  const url = await owner.url();
  await owner[Symbol.asyncDispose]();
  await using late = clientFor(url);
  await expect(late.get("/plain")).rejects.toMatchObject({ code: "ECONNREFUSED" });
});

test("disposing closes the connections to a service that stays", async () => {
  const server = createServer((_request, response) => response.end("hello")).listen(0, "127.0.0.1");
  await once(server, "listening");
  const connections = promisify(server.getConnections.bind(server));
  const client = clientFor(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  await client.get("/");
  expect(await connections()).toBe(1);
  await client[Symbol.asyncDispose]();
  await waitFor(async () => (await connections()) === 0, {
    timeoutMs: 1000,
    what: "the end of the connection",
  });
  server.close();
});

/** Shows what a feature for logging is told. */
const listener: Feature<{ enableListening(hear: (settings: AppSettings) => void): unknown }> = {
  name: "listener",
  install: (host) => ({ enableListening: (hear) => host.life.onStart(hear) }),
};

test("both clients leave the lines of a logging feature on, unless told otherwise", async () => {
  for (const connect of [testClient, socketClient]) {
    const told: [boolean, boolean | undefined][] = [];
    for (const options of [{}, { logs: true }, { logs: false }, { env: "production" as const }]) {
      const app = new (App.with(listener))();
      app.enableListening(({ logs, quiet }) => void told.push([logs, quiet]));
      await using client = connect(app, options);
      await client.get("/");
    }
    expect(told).toEqual([
      [true, false],
      [true, false],
      [false, true],
      [false, false],
    ]);
  }
});
