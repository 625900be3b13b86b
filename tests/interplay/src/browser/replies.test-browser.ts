import assert from "node:assert/strict";
import { bodyLimit } from "@framework/body-limit";
import { caching } from "@framework/cache";
import { compression } from "@framework/compression";
import { App, Response } from "@framework/core";
import { etag } from "@framework/etag";
import { requestId } from "@framework/request-id";
import { securityHeaders } from "@framework/security";
import { waitFor } from "@framework/testing";
import { fetchInPage, pageOf } from "./pages.test-kit.ts";
import { summarize, recorder } from "./recorder.test-kit.ts";
import { inChromium, type TestContext } from "./in-chromium.test-kit.ts";

const mebi = 1024 * 1024;

const shop = () => {
  const app = new (App.with(recorder, requestId, bodyLimit, compression, etag, caching, securityHeaders))()
    .enableRequestId()
    .enableBodyLimit(mebi)
    .enableCompression({ encodings: ["br", "gzip"], streams: true })
    .enableEtag()
    .enableSecurityHeaders();
  app.get("/", () => pageOf(""));
  app.get("/text", () => "a text that is worth compressing".repeat(100));
  app.delete("/text", () => Response.noContent());
  app.post("/upload", async (request) => ({ bytes: (await request.body()).length }));
  app.post("/form", async (request) => {
    const [file] = await request.files();
    return { title: (await request.form()).get("title"), name: file?.filename, size: file?.size };
  });
  return app;
};

const openShop = async ({ serve, visit }: TestContext) => {
  const app = shop();
  const { url } = await serve(app);
  return { app, url, page: await visit(url) };
};

/** Runs in the page: returns status and received bytes of an upload, sent raw or as a form's file. */
const upload = async (path: string, bytes: number, asForm: boolean) => {
  const blob = new Blob([new Uint8Array(bytes)]);
  const form = new FormData();
  form.append("file", blob, "a.bin");
  try {
    const reply = await fetch(path, { method: "POST", body: asForm ? form : blob });
    const { bytes: receivedBytes = 0 } = (await reply.json()) as { bytes?: number };
    return [reply.status, receivedBytes];
  } catch (error) {
    return [String(error)];
  }
};

inChromium({
  "each reply has a request id that the page can read: a generated one, or the page's": async (context) => {
    const { page } = await openShop(context);
    const ids = [await page.run(fetchInPage, "/text"), await page.run(fetchInPage, "/nowhere")].map(
      ({ headers }) => headers["x-request-id"],
    );
    assert.equal(new Set(ids).size, 2);
    for (const id of ids) assert.match(id ?? "", /^[\da-f-]{36}$/);
    const { headers } = await page.run(fetchInPage, "/text", { headers: { "x-request-id": "checkout-7" } });
    assert.equal(headers["x-request-id"], "checkout-7");
  },

  "HEAD has the fields of GET and no body, 204 has no body, and the next GET works": async (context) => {
    const { page, app } = await openShop(context);
    const get = await page.run(fetchInPage, "/text", { cache: "no-store" });
    const head = await page.run(fetchInPage, "/text", { method: "HEAD", cache: "no-store" });
    assert.deepEqual([head.status, head.text], [200, ""]);
    for (const name of ["content-length", "content-type", "content-encoding", "etag", "vary"])
      assert.deepEqual([name, head.headers[name]], [name, get.headers[name]]);
    const gone = await page.run(fetchInPage, "/text", { method: "DELETE" });
    assert.deepEqual([gone.status, gone.text, gone.headers["content-length"]], [204, "", undefined]);
    assert.equal((await page.run(fetchInPage, "/text", { cache: "no-store" })).text, get.text);
    assert.deepEqual(summarize(app.received("/text")), ["GET 200", "HEAD 200", "DELETE 204", "GET 200"]);
  },

  "the page reads the 413 of a 5 MiB upload above the limit of 1 MiB, and its next upload works": async (
    context,
  ) => {
    const { page } = await openShop(context);
    for (const asForm of [false, true]) {
      assert.deepEqual(await page.run(upload, "/upload", 5 * mebi, asForm), [413, 0]);
      assert.deepEqual(await page.run(upload, "/upload", mebi, false), [200, mebi]);
    }
  },

  "the page reads the 413 of uploads of any size, one after another": async (context) => {
    const { page, app } = await openShop(context);
    const sizes = [mebi + 1, 1.1 * mebi, 1.5 * mebi, 2 * mebi].map(Math.ceil);
    for (const size of [...sizes, ...sizes])
      assert.deepEqual(await page.run(upload, "/upload", size, false), [413, 0]);
    assert.equal(app.received("/upload").length, 8);
  },

  "a form's fields and file names arrive unchanged": async (context) => {
    const { page } = await openShop(context);
    const send = async (title: string, filename: string) => {
      const form = new FormData();
      form.append("title", title);
      form.append("file", new Blob(["12345"]), filename);
      return (await fetch("/form", { method: "POST", body: form })).json();
    };
    for (const [title, name] of [
      ['Emma & Co; 50% "off" = now', "plain.txt"],
      ["Übung\r\n日本 🐑", "Übung 日本.txt"],
      ["", "100% & more; a=b.txt"],
      ["quote", 'a"b.txt'],
    ] as const)
      assert.deepEqual(await page.run(send, title, name), { title, name, size: 5 });
  },

  "cookies return unchanged, and scripts cannot read HttpOnly cookies": async ({ serve, visit }) => {
    const app = shop();
    const value = 'dark mode; 50% = "Übung", 日本';
    app.get("/set", () =>
      Response.noContent()
        .setCookie("theme", value, { sameSite: "lax" })
        .setCookie("session", "s", { httpOnly: true, sameSite: "strict" })
        .setCookie("__Host-token", "t", { secure: true }),
    );
    app.get("/shown", ({ cookies }) =>
      ["theme", "session", "__Host-token", "gone"].map((name) => cookies.get(name)),
    );
    app.get("/drop", () => Response.noContent().deleteCookie("session"));
    const { url } = await serve(app);
    const page = await visit(url);
    await page.run(fetchInPage, "/set");
    assert.deepEqual((await page.evaluate<string>("document.cookie")).split("; ").toSorted(), [
      "__Host-token=t",
      `theme=${encodeURIComponent(value)}`,
    ]);
    const shown = async () => JSON.parse((await page.run(fetchInPage, "/shown")).text) as unknown;
    assert.deepEqual(await shown(), [value, "s", "t", null]);
    await page.run(fetchInPage, "/drop");
    assert.deepEqual(await shown(), [value, null, "t", null]);
  },

  "cancelling a download in the page ends the request on the server": async ({ serve, visit }) => {
    const app = shop();
    let ends = "";
    app.get("/endless", (request) => {
      request.onEnd((end) => (ends += end));
      return Response.stream(
        (async function* () {
          for (;;) yield new Uint8Array(65_536);
        })(),
      );
    });
    const { url } = await serve(app);
    const page = await visit(url);
    const name = await page.run(async () => {
      const controller = new AbortController();
      const reply = await fetch("/endless", { signal: controller.signal });
      const reader = reply.body?.getReader();
      await reader?.read();
      controller.abort();
      return reader?.read().then(
        () => "none",
        (error: Error) => error.name,
      );
    });
    assert.equal(name, "AbortError");
    await waitFor(() => ends !== "", { subject: "the request to end" });
    assert.equal(ends, "aborted");
  },

  "a stream whose source fails is an error for the page, never a truncated body": async ({
    serve,
    visit,
  }) => {
    const app = shop();
    app.get("/breaks", { compress: false }, () => Response.stream(breaking(), { contentType: "text/plain" }));
    app.get("/coded", () => Response.stream(breaking(), { contentType: "text/plain" }));
    const { url } = await serve(app);
    const page = await visit(url);
    for (const path of ["/breaks", "/coded"])
      assert.match((await page.run(fetchInPage, path)).text, /^TypeError: (Failed to fetch|network error)$/);
  },
});

async function* breaking() {
  yield "first ";
  throw new Error("broken");
}
