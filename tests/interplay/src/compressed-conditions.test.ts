// oxlint-disable jest/no-standalone-expect -- the assertions run inside the tests that eachClient registers
import { mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { caching } from "@framework/cache";
import { compression } from "@framework/compression";
import { App, Response } from "@framework/core";
import { entityTag, etag, requireMatch } from "@framework/etag";
import { staticFiles } from "@framework/static-files";
import { eachClient } from "@framework/testing";
import { afterAll, beforeAll, expect, test } from "@jest/globals";

const encodings = ["gzip", "br", "zstd"] as const;
const long = (word: string): string => `${word} `.repeat(500);

let directory = "";
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "conditions-"));
  const file = join(directory, "a.txt");
  await writeFile(file, long("file"));
  await utimes(file, 1_000_000_000, 1_000_000_000); // old enough for a strong tag
});
afterAll(() => rm(directory, { recursive: true }));

/** Creates an app with strong tags from a handler, the feature `etag`, the reply cache, and a file. */
const makeApp = () => {
  const notes = new Map<string, string>();
  const app = new (App.with(caching, compression, etag, staticFiles))()
    .enableCompression({ encodings })
    .enableEtag({ weak: false })
    .enableCaching()
    .enableStaticFiles({ directory, prefix: "/files", cacheControl: "no-cache" });
  const noteOf = (id: string): string => notes.get(id) ?? long("first");
  app.get(
    "/notes/{id}",
    { cache: false },
    ({ params }) =>
      new Response(noteOf(params.id), {
        contentType: "text/plain",
        headers: { etag: entityTag(noteOf(params.id), false) },
      }),
  );
  app.put("/notes/{id}", async (request) => {
    const { id } = request.params;
    requireMatch(request, { etag: entityTag(noteOf(id), false) }, { required: true });
    notes.set(id, await request.text());
  });
  app.get("/plain", { cache: false }, () => long("plain"));
  app.get("/cached", () => long("cached"));
  return app;
};

eachClient(test, makeApp, {
  "a client can write once with the tag that it read, in any coding": async (client) => {
    const accepted = [...encodings, "identity"];
    const results = accepted.map(async (coding) => {
      const path = `/notes/${coding}`;
      const read = await client.get(path, { headers: { "accept-encoding": coding } });
      const tag = read.headers.get("etag") ?? "";
      const write = async () =>
        (await client.put(path, { headers: { "if-match": tag }, body: long("second") })).status;
      return [read.headers.get("content-encoding"), tag.startsWith('"'), await write(), await write()];
    });
    expect(await Promise.all(results)).toEqual([
      ...encodings.map((coding) => [coding, true, 204, 412]),
      [null, true, 204, 412],
    ]);
  },
  "the gzip and the plain tag get a 304 if gzip is accepted; otherwise the gzip tag gets 200": async (
    client,
  ) => {
    for (const path of ["/notes/1", "/plain", "/cached", "/files/a.txt"]) {
      const getTag = async (coding: string, tag?: string) => {
        const condition = tag === undefined ? {} : { "if-none-match": tag };
        const { status, headers } = await client.get(path, {
          headers: { "accept-encoding": coding, ...condition },
        });
        return { status, tag: headers.get("etag") ?? "" };
      };
      const { tag } = await getTag("gzip");
      const { tag: plain } = await getTag("identity");
      expect([path, await getTag("gzip", tag)]).toEqual([path, { status: 304, tag }]);
      expect([path, await getTag("gzip", plain)]).toEqual([path, { status: 304, tag: plain }]);
      expect([path, await getTag("identity", tag)]).toEqual([path, { status: 200, tag: plain }]);
    }
  },
});
