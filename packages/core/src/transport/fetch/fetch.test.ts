import { expect, test } from "@jest/globals";
import { BodyStream } from "../../exchange/payload.ts";
import { App, type FrameworkError, Response } from "../../index.ts";

const replies: Record<string, () => Response | globalThis.Response> = {
  reply: () => new Response(null, { headers: { "content-length": "1234" } }),
  "web response": () => new globalThis.Response(null, { headers: { "content-length": "1234" } }),
};

test.each(Object.keys(replies))(
  "a HEAD route can state its length with a %s without a body",
  async (kind) => {
    const app = new App();
    app.head("/", () => replies[kind]?.());
    const reply = await app.fetch(new Request("http://localhost/", { method: "HEAD" }));
    expect(reply.headers.get("content-length")).toBe("1234");
  },
);

test("the content-length of a reply with a body is the length of the body, whatever the reply states", async () => {
  const app = new App();
  app.get("/", () => new Response("hello", { headers: { "content-length": "1234" } }));
  for (const method of ["GET", "HEAD"]) {
    const reply = await app.fetch(new Request("http://localhost/", { method }));
    expect(reply.headers.get("content-length")).toBe("5");
  }
});

test("a 101 reply without an accepted upgrade is sent as 500 and logged", async () => {
  const lines: { message: string; code: unknown; path: unknown }[] = [];
  const error = (message: string, fields?: Record<string, unknown>) =>
    void lines.push({
      message,
      code: (fields?.["error"] as FrameworkError | undefined)?.code,
      path: fields?.["path"],
    });
  const app = new App();
  app.get("/upgrade", () => Response.switchingProtocols());
  await app.start({ env: "production", log: { info() {}, warn() {}, error } });
  const reply = await app.fetch(new Request("http://localhost/upgrade"));
  expect([reply.status, await reply.json()]).toEqual([500, expect.objectContaining({ status: 500 })]);
  await app.stop();
  expect(lines).toEqual([
    { message: "a reply could not be written", code: "CORE_BAD_REPLY", path: "/upgrade" },
  ]);
});

test("the error of an end listener is logged, and other listeners run, even if they were added after the end", async () => {
  const seen: string[] = [];
  const app = new App();
  const fail = () => {
    throw new Error("listener");
  };
  app.get("/", (request) => {
    request.onEnd(fail);
    request.onEnd((end) => void seen.push(end));
    request.defer(() => {
      request.onEnd(fail);
      request.onEnd((end) => void seen.push(`${end} before`));
    });
    return "";
  });
  const log = { info() {}, warn() {}, error: (message: string) => void seen.push(message) };
  await app.start({ env: "production", log });
  await (await app.fetch(new Request("http://localhost/"))).text();
  await app.stop();
  const line = "a listener for the end of an exchange threw";
  expect(seen).toEqual([line, "sent", line, "sent before"]);
});

test.each(["GET", "HEAD"])(
  "a reply with status 205 to %s has no body, length 0, and ends",
  async (method) => {
    const seen: string[] = [];
    const app = new App();
    const chunks: AsyncIterableIterator<Uint8Array> = {
      [Symbol.asyncIterator]: () => chunks,
      next: async () => ({ done: true, value: undefined }),
      async return() {
        seen.push("cancelled");
        return { done: true, value: undefined };
      },
    };
    app.route("/{kind}", { methods: ["GET"] }, (request) => {
      request.onEnd((end) => void seen.push(end));
      return new Response(request.params["kind"] === "text" ? "x" : new BodyStream(chunks), { status: 205 });
    });
    for (const kind of ["text", "stream"]) {
      const reply = await app.fetch(new Request(`http://localhost/${kind}`, { method }));
      expect([reply.status, reply.headers.get("content-length"), await reply.text()]).toEqual([205, "0", ""]);
    }
    expect(seen.toSorted()).toEqual(["cancelled", "sent", "sent"]);
  },
);

test("a request of a library that has no signal is served, and a malformed signal does not delay the stop", async () => {
  const app = new App();
  app.get("/", () => "hello");
  const request = { url: "http://localhost/", method: "GET", headers: new Headers(), body: null };
  for (const signal of [null, undefined]) {
    const reply = await app.fetch({ ...request, signal } as unknown as globalThis.Request);
    expect(await reply.text()).toBe("hello");
  }
  await expect(app.fetch({ ...request, signal: {} } as unknown as globalThis.Request)).rejects.toThrow(
    TypeError,
  );
  expect(await stopsWithoutOpenCalls(app)).toBe(true);
});

/** Whether the stop finds no call of `fetch` in progress: with one, it would wait for its deadline. */
const stopsWithoutOpenCalls = async (app: App): Promise<boolean> => {
  const calls = app["kernel"]["calls"] as unknown as { readonly open: ReadonlySet<unknown> };
  const { size } = calls.open;
  if (size === 0) await app.stop();
  return size === 0;
};
