// oxlint-disable jest/no-standalone-expect -- the assertions run inside the tests that eachClient registers
import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compression } from "@framework/compression";
import { App } from "@framework/core";
import { etag } from "@framework/etag";
import { staticFiles } from "@framework/static-files";
import { eachClient, type TestReply } from "@framework/testing";
import { afterAll, beforeAll, expect, test } from "@jest/globals";

const files = {
  "empty.txt": "",
  "short.txt": "short",
  "long.txt": "a long text ".repeat(400),
  "noise.txt": randomBytes(3000),
  "stream.txt": "a stream ".repeat(10_000),
};

let directory = "";
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "heads-"));
  for (const [name, content] of Object.entries(files)) await writeFile(join(directory, name), content);
});
afterAll(() => rm(directory, { recursive: true }));

/** Creates an app that serves the files with tags of their content, compressed if that is shorter. */
const makeApp = () =>
  new (App.with(compression, etag, staticFiles))()
    .enableCompression()
    .enableEtag()
    .enableStaticFiles({ directory, prefix: "/files", etag: false });

const fieldsOf = ({ headers }: TestReply) =>
  Object.fromEntries([...headers].filter(([name]) => name !== "date" && name !== "connection"));

eachClient(test, makeApp, {
  "HEAD of a file has the fields of GET, compressed or not": async (client) => {
    for (const name of Object.keys(files))
      for (const coding of ["gzip", "identity", "gzip, identity;q=0"]) {
        const headers = { "accept-encoding": coding };
        const [get, head] = [
          await client.get(`/files/${name}`, { headers }),
          await client.head(`/files/${name}`, { headers }),
        ];
        expect([name, coding, head.text, fieldsOf(head)]).toEqual([name, coding, "", fieldsOf(get)]);
      }
  },
});
