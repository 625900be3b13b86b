import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { caching } from "@framework/cache";
import { compression } from "@framework/compression";
import type { Visit } from "@framework/browser";
import { App, Response } from "@framework/core";
import { etag } from "@framework/etag";
import { staticFiles } from "@framework/static-files";
import { waitFor } from "@framework/testing";
import { pageOf } from "./pages.test-kit.ts";
import { recorder } from "./recorder.test-kit.ts";
import { inChromium } from "./in-chromium.test-kit.ts";

const rate = 8000;
const seconds = 1000;

/** Creates a WAV file whose 8-bit samples all have the same level: 8 kB per second. */
const wav = (level: number, length = seconds): Buffer => {
  const samples = Buffer.alloc(rate * length, level);
  const head = Buffer.alloc(44);
  head.write("RIFF");
  head.writeUInt32LE(36 + samples.length, 4);
  head.write("WAVEfmt ", 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(rate, 24);
  head.writeUInt32LE(rate, 28);
  head.writeUInt16LE(1, 32);
  head.writeUInt16LE(8, 34);
  head.write("data", 36);
  head.writeUInt32LE(samples.length, 40);
  return Buffer.concat([head, samples]);
};

/** A folder with one WAV file, removed after the test. */
class Sounds implements Disposable {
  readonly directory = mkdtempSync(join(tmpdir(), "sounds-"));
  write(level: number): void {
    writeFileSync(join(this.directory, "long.wav"), wav(level));
  }
  [Symbol.dispose](): void {
    rmSync(this.directory, { recursive: true });
  }
}

/** An app that serves a folder, and a page with a player of its sound. */
const player = (directory: string) => {
  const app = new (App.with(recorder, staticFiles, caching, compression, etag))()
    .enableStaticFiles({ directory })
    .enableCaching()
    .enableEtag()
    .enableCompression({ streams: true, encodings: ["br", "zstd", "gzip"] });
  app.get("/", () => pageOf(`<video id="player" preload="metadata" src="/static/long.wav"></video>`));
  return app;
};

const waitForMetadata = async (page: Visit): Promise<void> => {
  await waitFor(() => page.evaluate("player.readyState >= 1"), { subject: "the player's metadata" });
};

/** Seeks, and returns the resulting position of the player. */
const seekTo = (page: Visit, second: number): Promise<number> =>
  page.evaluate(`new Promise((resolve, reject) => {
    player.onseeked = () => resolve(player.currentTime);
    player.onerror = () => reject(player.error);
    player.currentTime = ${second};
  })`);

/** Runs in the page: returns status, `Content-Range`, length and the distinct sample levels of a part. */
const fetchPart = async (url: string, range: string) => {
  const reply = await fetch(url, { headers: { range } });
  const bytes = new Uint8Array(await reply.arrayBuffer());
  const start = reply.status === 206 ? 0 : 44;
  return [
    reply.status,
    reply.headers.get("content-range"),
    bytes.length,
    [...new Set(bytes.subarray(start))],
  ];
};

const size = 44 + rate * seconds;

inChromium({
  "a player can seek in a long file, and fetches only parts of it": async ({ serve, visit }) => {
    using sounds = new Sounds();
    sounds.write(100);
    const app = player(sounds.directory);
    const { url } = await serve(app);
    const page = await visit(url);
    await waitForMetadata(page);
    assert.deepEqual(
      await page.evaluate("[player.duration, player.seekable.start(0), player.seekable.end(0)]"),
      [seconds, 0, seconds],
    );
    assert.equal(await seekTo(page, 900), 900);
    const [first, second] = app.received("/static/long.wav");
    assert.deepEqual([first?.headers["range"], first?.status], ["bytes=0-", 206]);
    const from = Number(/^bytes=(\d+)-/.exec(second?.headers["range"] ?? "")?.[1]);
    assert.equal(second?.status, 206);
    assert.ok(from > 880 * rate && from <= 900 * rate, `the second request starts at byte ${from}`);
  },

  "after the file has changed, the player continues with the new one": async ({ serve, visit }) => {
    using sounds = new Sounds();
    sounds.write(100);
    const app = player(sounds.directory);
    const { url } = await serve(app);
    const page = await visit(url);
    await waitForMetadata(page);
    await seekTo(page, 900);
    sounds.write(150);
    assert.equal(await seekTo(page, 500), 500);
    const requests = app.received("/static/long.wav");
    const stale = requests.find(({ headers, status }) => headers["if-range"] !== undefined && status === 200);
    assert.ok(stale, "no If-Range request with the old tag got the complete new file");
    assert.equal(requests.at(-1)?.status, 206);
  },

  "a page that has parts of a file gets the whole new file after a change": async ({ serve, visit }) => {
    using sounds = new Sounds();
    sounds.write(100);
    const app = player(sounds.directory);
    app.get("/empty", () => pageOf(""));
    const { url } = await serve(app);
    const page = await visit(`${url}/empty`);
    const get = (range: string) => page.run(fetchPart, "/static/long.wav", range);
    assert.deepEqual(await get("bytes=100-199"), [206, `bytes 100-199/${size}`, 100, [100]]);
    assert.deepEqual(await get("bytes=200-299"), [206, `bytes 200-299/${size}`, 100, [100]]);
    sounds.write(150);
    assert.deepEqual(await get("bytes=300-399"), [200, null, size, [150]]);
    assert.deepEqual(
      app
        .received("/static/long.wav")
        .map(({ headers, status }) => [headers["if-range"] !== undefined, status]),
      [
        [false, 206],
        [true, 206],
        [true, 200],
      ],
    );
  },

  "the reply cache serves parts of its stored replies to a player": async ({ serve, visit }) => {
    using sounds = new Sounds();
    sounds.write(100);
    const app = player(sounds.directory);
    let calls = 0;
    app.get("/short.wav", () => {
      calls++;
      return Response.binary(wav(100, 100), { contentType: "audio/wav" });
    });
    app.get("/short", () => pageOf(`<video id="player" preload="auto" src="/short.wav"></video>`));
    const { url } = await serve(app);
    assert.equal((await fetch(`${url}/short.wav`)).status, 200);
    const page = await visit(`${url}/short`);
    await waitForMetadata(page);
    assert.equal(await page.evaluate("player.seekable.end(0)"), 100);
    assert.equal(await seekTo(page, 90), 90);
    const [, request] = app.received("/short.wav");
    assert.deepEqual([request?.headers["range"], request?.status, calls], ["bytes=0-", 206, 1]);
  },

  "a video that a page recorded and uploaded can be played from a file": async ({ serve, visit }) => {
    using sounds = new Sounds();
    const app = player(sounds.directory);
    app.post("/film", async (request) => {
      writeFileSync(join(sounds.directory, "film.webm"), await request.body());
    });
    app.get("/film", () => pageOf(`<video id="player" src="/static/film.webm"></video>`));
    app.get("/camera", () => pageOf(`<canvas id="canvas" width="64" height="48"></canvas>`));
    const { url } = await serve(app);
    const page = await visit(`${url}/camera`);
    assert.equal(await page.evaluate(recordFilm), 204);
    await page.goTo(`${url}/film`);
    const ended = `new Promise((resolve) => {
      player.onended = () => resolve([player.videoWidth, player.videoHeight, player.currentTime > 0]);
      player.play();
    })`;
    assert.deepEqual(await page.evaluate(ended), [64, 48, true]);
    assert.equal(app.received("/static/film.webm")[0]?.status, 206);
  },
});

/** Paints until the recorder has produced three parts, and uploads them; returns the status. */
const recordFilm = `new Promise((resolve, reject) => {
  const context = canvas.getContext("2d");
  const recorder = new MediaRecorder(canvas.captureStream(30), { mimeType: "video/webm" });
  const parts = [];
  let frame = 0;
  const timer = setInterval(() => {
    context.fillStyle = "hsl(" + frame++ * 10 + " 80% 50%)";
    context.fillRect(0, 0, 64, 48);
  }, 20);
  recorder.ondataavailable = ({ data }) => {
    parts.push(data);
    if (parts.length === 3) recorder.stop();
  };
  recorder.onstop = () => {
    clearInterval(timer);
    const body = new Blob(parts, { type: "video/webm" });
    fetch("/film", { method: "POST", body }).then(({ status }) => resolve(status), reject);
  };
  recorder.start(200);
})`;
