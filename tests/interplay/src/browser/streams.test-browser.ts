import assert from "node:assert/strict";
import { compression, type CompressionConfig } from "@framework/compression";
import { App, Response } from "@framework/core";
import { waitFor } from "@framework/testing";
import { fetchInPage, pageOf } from "./pages.test-kit.ts";
import { recorder } from "./recorder.test-kit.ts";
import { type BrowserTests, inChromium } from "./in-chromium.test-kit.ts";

/** An app with streams whose second part is sent after the page has reported the first. */
const newsroom = (options: Partial<CompressionConfig>) => {
  const app = new (App.with(recorder, compression))().enableCompression(options);
  const reported = Promise.withResolvers<void>();
  app.get("/", () => pageOf(""));
  app.post("/reported", () => reported.resolve());
  app.get("/events", () =>
    Response.sse(
      (async function* () {
        yield { id: "1", data: "first" };
        await reported.promise;
        yield { id: "2", event: "last", data: "second" };
      })(),
    ),
  );
  app.get("/text", () =>
    Response.stream(
      (async function* () {
        yield "first ";
        await reported.promise;
        yield "second".repeat(10_000);
      })(),
      { contentType: "text/plain" },
    ),
  );
  return app;
};

/** Runs in the page: reports the first event, and returns both events. */
const twoEvents = () =>
  new Promise((resolve) => {
    const source = new EventSource("/events");
    const seen: string[] = [];
    source.addEventListener("message", ({ data }) => {
      seen.push(String(data));
      void fetch("/reported", { method: "POST" });
    });
    source.addEventListener("last", (event) => {
      source.close();
      resolve([...seen, String((event as MessageEvent).data)]);
    });
  });

/** Runs in the page: reports the first chunk of text, and returns its coding, that chunk and the total length. */
const firstChunk = async () => {
  const reply = await fetch("/text");
  const reader = reply.body?.pipeThrough(new TextDecoderStream()).getReader();
  const first = (await reader?.read())?.value ?? "";
  await fetch("/reported", { method: "POST" });
  let { length } = first;
  for (let part = await reader?.read(); part?.done === false; part = await reader?.read())
    length += part.value.length;
  return [reply.headers.get("content-encoding"), first, length];
};

const codings = ["br", "gzip", "zstd"] as const;

const inEachCoding: BrowserTests = Object.fromEntries(
  codings.flatMap((coding): [string, BrowserTests[string]][] => [
    [
      `an event arrives immediately with ${coding}, while the stream continues`,
      async ({ serve, visit }) => {
        const { url } = await serve(newsroom({ encodings: [coding], streams: true }));
        const page = await visit(url);
        assert.deepEqual(await page.run(twoEvents), ["first", "second"]);
        const { headers } = await page.run(fetchInPage, "/events");
        assert.equal(headers["content-encoding"], coding);
      },
    ],
    [
      `a reader gets the first chunk with ${coding}, while the stream continues`,
      async ({ serve, visit }) => {
        const { url } = await serve(newsroom({ encodings: [coding], streams: true }));
        const page = await visit(url);
        assert.deepEqual(await page.run(firstChunk), [coding, "first ", 60_006]);
      },
    ],
  ]),
);

/** Runs in the page: collects events until the source is closed, and returns them with their ids. */
const allEvents = () =>
  new Promise((resolve) => {
    const source = new EventSource("/feed");
    const seen: string[] = [];
    source.addEventListener("message", ({ data, lastEventId }) => seen.push(`${lastEventId} ${data}`));
    source.addEventListener("error", () => {
      if (source.readyState === EventSource.CLOSED) resolve(seen);
    });
  });

inChromium({
  ...inEachCoding,

  "without streaming compression an event stream is not compressed, and arrives immediately too": async ({
    serve,
    visit,
  }) => {
    const { url } = await serve(newsroom({ encodings: ["br", "gzip"] }));
    const page = await visit(url);
    assert.deepEqual(await page.run(twoEvents), ["first", "second"]);
    assert.equal((await page.run(fetchInPage, "/events")).headers["content-encoding"], undefined);
  },

  "an EventSource reconnects with the last event's id, until it gets 204": async ({ serve, visit }) => {
    const app = newsroom({ streams: true });
    app.get("/feed", (request) => {
      const last = Number(request.getHeader("last-event-id") ?? 0);
      if (last === 3) return Response.noContent();
      return Response.sse([{ id: String(last + 1), retry: 20, data: `after ${last}` }]);
    });
    const { url } = await serve(app);
    const page = await visit(url);
    assert.deepEqual(await page.run(allEvents), ["1 after 0", "2 after 1", "3 after 2"]);
    assert.deepEqual(
      app.received("/feed").map(({ headers }) => headers["last-event-id"]),
      [undefined, "1", "2", "3"],
    );
  },

  "reloading a page ends the source of its stream": async ({ serve, visit }) => {
    const app = newsroom({ streams: true });
    let open = 0;
    app.get("/endless", () =>
      Response.sse(
        (async function* () {
          open++;
          try {
            for (;;) {
              yield "tick";
              await new Promise(setImmediate);
            }
          } finally {
            open--;
          }
        })(),
      ),
    );
    const { url } = await serve(app);
    const page = await visit(url);
    await page.run(
      () =>
        new Promise((resolve) => {
          new EventSource("/endless").addEventListener("message", resolve, { once: true });
        }),
    );
    assert.equal(open, 1);
    await page.reload();
    await waitFor(() => open === 0, { subject: "the end of the source" });
  },
});
