// oxlint-disable jest/no-standalone-expect -- the assertions run inside the tests that eachClient registers
import { expect, test } from "@jest/globals";
import { eachClient } from "./each-client.ts";
import { socketClient, testClient } from "./test-client.ts";
import { echo } from "./echo-app.test-kit.ts";

eachClient(test, echo, {
  "each method has its own member": async (client) => {
    const senders = [client.get, client.post, client.put, client.patch, client.delete, client.options];
    const replies = await Promise.all(senders.map((send) => send("/echo")));
    const methods = replies.map((reply) => reply.json<{ method: string }>().method);
    expect(methods).toEqual(["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);
  },

  "head returns header fields and no body": async (client) => {
    const reply = await client.head("/plain");
    expect([reply.status, reply.text, reply.headers.get("content-length")]).toEqual([200, "", "5"]);
  },

  "a method is sent in upper case": async (client) => {
    expect((await client.request("patch", "/echo")).json()).toMatchObject({ method: "PATCH" });
  },

  "query fields are encoded, lists repeat the name and undefined is omitted": async (client) => {
    const query = { q: "a b&c", n: 2, all: ["x", "y"], none: undefined, yes: true };
    const reply = await client.get("/echo?first=1", { query });
    expect(reply.json()).toMatchObject({
      query: { first: "1", q: "a b&c", n: "2", all: ["x", "y"], yes: "true" },
    });
  },

  "a json value, even null, is sent as JSON with its length": async (client) => {
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

  "a form with a file among its fields is sent as multipart, a list as several parts": async (client) => {
    const cover = new File(["content"], "a.png", { type: "image/png" });
    const form = { title: "Emma", tag: ["a", "b"], pages: 3, cover, none: undefined };
    const { type, body } = (await client.post("/echo", { form })).json<{ type: string; body: string }>();
    expect(type).toMatch(/^multipart\/form-data; boundary=/);
    expect(body).toContain('name="cover"; filename="a.png"\r\nContent-Type: image/png\r\n\r\ncontent');
    expect(body.match(/name="\w+"/g)).toEqual(
      ["title", "tag", "tag", "pages", "cover"].map((n) => `name="${n}"`),
    );
    expect((await client.post("/echo", { form: { title: "Emma" } })).json()).toMatchObject({
      type: "application/x-www-form-urlencoded;charset=UTF-8",
    });
  },

  "a text body has a content type unless the request sets one": async (client) => {
    const plain = await client.post("/echo", { body: "é" });
    expect(plain.json()).toMatchObject({ type: "text/plain;charset=UTF-8", length: "2", body: "é" });
    const csv = await client.post("/echo", { body: "a,b", headers: { "content-type": "text/csv" } });
    expect(csv.json()).toMatchObject({ type: "text/csv" });
  },

  "a stream is sent in chunks, without a length": async (client) => {
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

  "the host of a request can be set": async (client) => {
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

  "an error reply has its details, as in development": async (client) => {
    expect((await client.get("/boom")).json()).toMatchObject({ status: 500, detail: "boom" });
  },

  "the error of json() names the request and shows the body": async (client) => {
    const reply = await client.get("/plain");
    const message = /^GET \/plain answered 200 with text\/plain; charset=utf-8, not JSON .*: plain$/;
    expect(() => reply.json()).toThrow(expect.objectContaining({ code: "TESTING_NOT_JSON" }));
    expect(() => reply.json()).toThrow(message);
  },

  "two bodies in one request are an error": async (client) => {
    const both = client.post("/echo", { json: {}, body: "x" });
    await expect(both).rejects.toMatchObject({ code: "TESTING_BAD_OPTION" });
  },

  "a misspelt part of a request is an error with the nearest name": async (client) => {
    await expect(client.post("/echo", { jsn: {} } as object)).rejects.toMatchObject({
      code: "TESTING_BAD_OPTION",
      message: expect.stringMatching(
        /^the options object of POST \/echo has no field "jsn"; did you mean "json"\?$/i,
      ),
    });
  },

  "a path without a slash is an error": async (client) => {
    await expect(client.get("echo")).rejects.toMatchObject({ code: "TESTING_BAD_OPTION" });
  },

  "a request after disposal is an error": async (client) => {
    await client[Symbol.asyncDispose]();
    await expect(client.get("/plain")).rejects.toMatchObject({ code: "TESTING_CLIENT_CLOSED" });
  },
});

eachClient(
  test,
  echo,
  {
    "settings reach the app: production hides the details of errors": async (client) => {
      const reply = await client.get("/boom");
      expect(reply.status).toBe(500);
      expect(reply.text).not.toContain("boom");
    },

    "the client's header fields are sent with every request, and the request's own override them": async (
      client,
    ) => {
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
    "a reply above the client's limit is an error": async (client) => {
      await expect(client.get("/echo")).rejects.toMatchObject({ code: "TESTING_REPLY_TOO_LARGE" });
    },
  },
  { maxReplyBytes: 60 },
);

test("the environment of the test run has no effect", async () => {
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

test("log lines of the app reach the logger in the options", async () => {
  for (const connect of [testClient, socketClient]) {
    const errors: unknown[] = [];
    const log = { info() {}, warn() {}, error: (message: string) => void errors.push(message) };
    await using client = connect(echo(), { log });
    await client.get("/boom");
    expect(errors).toHaveLength(1);
  }
});

test("fetch rejects a body that a web request cannot have", async () => {
  await using client = testClient(echo());
  await expect(client.request("GET", "/echo", { body: "x" })).rejects.toThrow("socketClient");
});

test("a socket sends a path unchanged", async () => {
  await using client = socketClient(echo());
  expect((await client.get("/a/../plain")).status).toBe(400);
});
