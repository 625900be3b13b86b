import assert from "node:assert/strict";
import type { Visit } from "@framework/browser";
import { App, UnauthorizedError } from "@framework/core";
import { cors } from "@framework/cors";
import { waitFor } from "@framework/testing";
import { type CloseInfo, websocket, WebSocketClose, type WebSocketConfig } from "@framework/websocket";
import { emptyPage, pageOf } from "./pages.test-kit.ts";
import { summarize, recorder } from "./recorder.test-kit.ts";
import { inChromium } from "./in-chromium.test-kit.ts";

const mebi = 1024 * 1024;

/** An app that echoes messages. */
const echo = (options: Partial<WebSocketConfig> = {}) => {
  const app = new (App.with(recorder, cors, websocket))().enableWebSocket(options);
  const ends: (CloseInfo | null)[] = [];
  app.get("/", () => pageOf(""));
  app.websocket("/echo", { protocols: ["echo.v1"] }, async (socket) => {
    for await (const message of socket) await socket.send(message.isText ? message.text : message.data);
    ends.push(socket.closed);
  });
  app.websocket("/refuses", async (socket) => {
    await socket.recv();
    throw new WebSocketClose(4001, "no more of it, määh");
  });
  const guard = () => {
    throw new UnauthorizedError();
  };
  app.websocket("/guarded", { guards: [guard] }, async (socket) => void (await socket.recv()));
  return Object.assign(app, { ends });
};

/** Opens `socket` in the page; returns whether it opened. */
const open = (page: Visit, url: string, protocol?: string): Promise<boolean> =>
  page.evaluate(`new Promise((resolve) => {
    globalThis.seen = [];
    globalThis.socket = new WebSocket(${JSON.stringify(url)}, ${JSON.stringify(protocol ?? [])});
    socket.binaryType = "arraybuffer";
    globalThis.ending = new Promise((end) => {
      socket.onclose = ({ code, reason, wasClean }) => {
        end([code, reason, wasClean]);
        resolve(false);
      };
    });
    socket.onopen = () => resolve(true);
  })`);

/** Sends the value of an expression, and returns the value of another expression with the reply as `data`. */
const exchange = <T>(page: Visit, message: string, result = "data"): Promise<T> =>
  page.evaluate(`new Promise((resolve) => {
    socket.onmessage = ({ data }) => resolve(${result});
    socket.send(${message});
  })`);

const socketUrl = (url: string, path = "/echo"): string => `${url.replace("http", "ws")}${path}`;

inChromium({
  "texts, bytes and blobs are echoed, and the sub-protocol is negotiated": async ({ serve, visit }) => {
    const { url } = await serve(echo());
    const page = await visit(url);
    assert.equal(await open(page, socketUrl(url), "echo.v1"), true);
    assert.equal(await page.evaluate("socket.protocol"), "echo.v1");
    assert.equal(await exchange(page, `"määh 🐑"`), "määh 🐑");
    assert.equal(await exchange(page, `""`), "");
    const bytes = "[...new Uint8Array(data)]";
    assert.deepEqual(await exchange(page, "new Uint8Array([0, 255, 128])", bytes), [0, 255, 128]);
    assert.deepEqual(await exchange(page, "new Blob([new Uint8Array([7])])", bytes), [7]);
  },

  "messages of 16 MiB are echoed completely, deflated or not": async ({ serve, visit }) => {
    for (const deflate of [false, true]) {
      const limits = { maxMessageBytes: 16 * mebi, maxReceiveQueueBytes: 16 * mebi };
      const { url } = await serve(echo({ ...limits, deflate }));
      const page = await visit(url);
      assert.equal(await open(page, socketUrl(url)), true);
      assert.equal(await page.evaluate("socket.extensions !== ''"), deflate);
      await page.evaluate(`{
        globalThis.bytes = new Uint8Array(${16 * mebi});
        for (let at = 0; at < bytes.length; at++) bytes[at] = (at * 7919) >> 5;
      }`);
      const same =
        "data.byteLength === bytes.length && new Uint8Array(data).every((byte, at) => byte === bytes[at])";
      assert.equal(await exchange(page, "bytes", same), true);
    }
  },

  "a text of 16 MiB is echoed completely": async ({ serve, visit }) => {
    const { url } = await serve(echo({ maxMessageBytes: 16 * mebi, maxReceiveQueueBytes: 16 * mebi }));
    const page = await visit(url);
    assert.equal(await open(page, socketUrl(url)), true);
    const text = `"x".repeat(${16 * mebi})`;
    assert.equal(await exchange(page, text, `data === ${text}`), true);
  },

  "a message above the limit closes the socket with 1009": async ({ serve, visit }) => {
    const { url } = await serve(echo());
    const page = await visit(url);
    await open(page, socketUrl(url));
    await page.evaluate(`socket.send(new Uint8Array(${mebi + 1}))`);
    const [code] = await page.evaluate<unknown[]>("ending");
    assert.equal(code, 1009);
  },

  "close codes and reasons of both sides arrive": async ({ serve, visit }) => {
    const app = echo();
    const { url } = await serve(app);
    const page = await visit(url);
    await open(page, socketUrl(url));
    await page.evaluate(`socket.close(4001, "enough, määh")`);
    assert.deepEqual(await page.evaluate("ending"), [4001, "enough, määh", true]);
    await waitFor(() => app.ends.length === 1, { subject: "the handler's end" });
    assert.deepEqual(app.ends, [{ code: 4001, reason: "enough, määh" }]);
    await open(page, socketUrl(url, "/refuses"));
    await page.evaluate(`socket.send("more")`);
    assert.deepEqual(await page.evaluate("ending"), [4001, "no more of it, määh", true]);
  },

  "reloading a page closes the handler's socket with 1001": async ({ serve, visit }) => {
    const app = echo();
    const { url } = await serve(app);
    const page = await visit(url);
    await open(page, socketUrl(url));
    await page.reload();
    await waitFor(() => app.ends.length === 1, { subject: "the handler's end" });
    assert.equal(app.ends[0]?.code, 1001);
  },

  "a page of another site or port gets no connection: the handshake gets 403": async ({ serve, visit }) => {
    const app = echo();
    const [site, other] = [await serve(app), await serve(emptyPage())];
    for (const from of [other.url, other.as("localhost"), other.as("evil.example"), site.as("localhost")]) {
      const page = await visit(from);
      assert.equal(await open(page, socketUrl(site.url)), false);
      assert.deepEqual(await page.evaluate("ending"), [1006, "", false]);
      assert.equal(app.received("/echo").at(-1)?.headers["origin"], from);
    }
    assert.deepEqual(summarize(app.received("/echo")), Array(4).fill("GET 403"));
    assert.deepEqual(app.ends, []);
  },

  "a page can connect if the option origins or CORS lists its origin": async ({ serve, visit }) => {
    const [first, second] = [await serve(emptyPage()), await serve(emptyPage())];
    const app = echo({ origins: [first.as("localhost")] });
    app.enableCors([second.as("good.example")], { credentials: true });
    const { url } = await serve(app);
    for (const from of [first.as("localhost"), second.as("good.example")]) {
      const page = await visit(from);
      assert.equal(await open(page, socketUrl(url)), true);
      assert.equal(await exchange(page, `"a"`), "a");
    }
  },

  "a guard's 401 is sent, and the page sees 1006 and no status": async ({ serve, visit }) => {
    const app = echo();
    const { url } = await serve(app);
    const page = await visit(url);
    assert.equal(await open(page, socketUrl(url, "/guarded")), false);
    assert.deepEqual(await page.evaluate("ending"), [1006, "", false]);
    assert.deepEqual(summarize(app.received("/guarded")), ["GET 401"]);
  },

  "a stopping service sends 1001 to its pages": async ({ serve, visit }) => {
    const site = await serve(echo());
    const page = await visit(site.url);
    await open(page, socketUrl(site.url));
    await site.close();
    assert.deepEqual((await page.evaluate<unknown[]>("ending"))[0], 1001);
  },
});
