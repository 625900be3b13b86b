import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { App, HttpError } from "@framework/core";
import { socketClient, waitFor } from "@framework/testing";
import { afterAll, beforeEach, expect, test } from "@jest/globals";
import { notesApp } from "../api/notes-app.test-kit.ts";
import { runClientCommand } from "./client-command.ts";

const folder = mkdtempSync(join(tmpdir(), "client-command-"));
const source = join(folder, "openapi.json");
const out = join(folder, "client.ts");
const write = (title: string) =>
  writeFileSync(source, JSON.stringify({ openapi: "3.1.0", info: { title, version: "1" }, paths: {} }));

beforeEach(() => {
  rmSync(out, { force: true });
  write("A");
});

afterAll(() => rmSync(folder, { recursive: true }));

const run = async (...args: string[]) => {
  const lines: string[] = [];
  const output = {
    out: (line: string) => lines.push(line),
    err: (line: string) => lines.push(`! ${line}`),
  };
  const code = await runClientCommand(args, output);
  return { code, text: lines.join("\n") };
};

test("writes the client of a file, and does not rewrite it if it is up to date", async () => {
  expect(await run(source, "--out", out)).toEqual({ code: 0, text: `${out} written` });
  const { mtimeMs } = statSync(out);
  expect(await run(source, "--out", out)).toEqual({ code: 0, text: `${out} is up to date` });
  expect(statSync(out).mtimeMs).toBe(mtimeMs);
});

test("writes the client of a running service, and of the app that a module exports", async () => {
  await using client = socketClient(notesApp());
  expect(await run(await client.url("/openapi.json"), "-o", out)).toMatchObject({ code: 0 });
  expect(readFileSync(out, "utf8")).toContain("readonly getNote: Operation<");
  const module = join(folder, "app.mjs");
  writeFileSync(
    module,
    `export const app = { fetch: async () => new Response('{"openapi":"3.1.0","info":{"title":"Module"}}') };`,
  );
  expect(await run(module, "--out", out)).toMatchObject({ code: 0 });
  expect(readFileSync(out, "utf8")).toContain("from Module");
});

test("writes the client of the app that createApp returns, and refuses a module without an app", async () => {
  const module = join(folder, "create.mjs");
  writeFileSync(
    module,
    `export const createApp = async () => ({ fetch: async () => new Response('{"openapi":"3.1.0","info":{"title":"Created"}}') });`,
  );
  expect(await run(module, "--out", out)).toMatchObject({ code: 0 });
  expect(readFileSync(out, "utf8")).toContain("from Created");
  const none = join(folder, "none.mjs");
  writeFileSync(none, "export const createApp = () => 1; export const createOther = () => ({ fetch() {} });");
  const { code, text } = await run(none, "--out", out);
  expect([code, text]).toEqual([1, expect.stringContaining("nor a function `createApp`")]);
});

test("the error for a URL has the status, and no advice for modules", async () => {
  await using client = socketClient(notesApp());
  const url = await client.url("/absent.json");
  expect(await run(url, "--out", out)).toEqual({
    code: 1,
    text: `! framework-client: cannot read ${url}: status 404; SOURCE must be the URL of the document`,
  });
  const module = join(folder, "without.mjs");
  writeFileSync(module, "export const app = { fetch: async () => new Response('', { status: 404 }) };");
  expect((await run(module, "--out", out)).text).toContain("--document must be the path");
});

test("the user and password of a URL are sent as Basic authentication, and not printed", async () => {
  const app = new App();
  app.get("/openapi.json", (request) => {
    if (request.getHeader("authorization") !== `Basic ${btoa("ann:p@ss")}`)
      throw new HttpError(401, "unknown user");
    return { openapi: "3.1.0", info: { title: "Private", version: "1" } };
  });
  await using client = socketClient(app);
  const url = await client.url("/openapi.json");
  const withUser = (text: string) => url.replace("http://", `http://${text}@`);
  expect(await run(withUser("ann:p%40ss"), "--out", out)).toMatchObject({ code: 0 });
  const { code, text } = await run(withUser("ann:guess"), "--out", out);
  expect([code, text]).toEqual([1, expect.stringContaining(`cannot read ${url}: status 401`)]);
});

test("a file may begin with a byte order mark", async () => {
  writeFileSync(source, `\uFEFF${readFileSync(source, "utf8")}`);
  expect(await run(source, "--out", out)).toMatchObject({ code: 0 });
});

test("--check writes nothing; its exit code is 1 with the changed lines when the client is out of date", async () => {
  expect(await run(source, "--out", out, "--check")).toMatchObject({ code: 1 });
  await run(source, "--out", out);
  expect(await run(source, "--out", out, "--check")).toMatchObject({ code: 0 });
  write("B");
  const before = readFileSync(out, "utf8");
  const { code, text } = await run(source, "--out", out, "--check");
  expect(code).toBe(1);
  expect(text).toContain("! - // Written by framework-client from A 1.");
  expect(text).toContain("! + // Written by framework-client from B 1.");
  expect(readFileSync(out, "utf8")).toBe(before);
  const { text: json } = await run(source, "--out", out, "--check", "--json");
  expect(JSON.parse(json)).toMatchObject({ outcome: "stale", file: out });
});

test.each([{ flags: ["--check"] }, { flags: [] }])(
  "with the flags $flags, an --out that cannot be read is reported as such, not as out of date",
  async ({ flags }) => {
    const result = await run(source, "--out", folder, "--json", ...flags);
    expect({ ...result, text: JSON.parse(result.text) }).toEqual({
      code: 1,
      text: { outcome: "failed", code: null, message: expect.stringContaining("EISDIR") },
    });
  },
);

test("a document that cannot be watched is not reported as a bad document", async () => {
  const { text } = await run(join(folder, "absent/openapi.json"), "--out", out, "--watch", "--json");
  expect(JSON.parse(text.split("\n").at(-1) ?? "")).toMatchObject({
    code: null,
    message: expect.stringContaining("cannot watch"),
  });
});

test("--watch writes the client again after a change, and ends when it is aborted", async () => {
  const stop = new AbortController();
  const lines: string[] = [];
  const print = (line: string) => lines.push(line);
  const code = runClientCommand(
    [source, "--out", out, "--watch"],
    { out: print, err: () => {} },
    stop.signal,
  );
  await waitFor(() => lines.length > 0);
  await waitFor(() => {
    write("C");
    return readFileSync(out, "utf8").includes("from C 1");
  });
  stop.abort();
  expect(await code).toBe(0);
});

test("--watch prints nothing for a poll that finds no change", async () => {
  let requests = 0;
  const app = new App();
  app.get("/openapi.json", () => {
    requests++;
    return { openapi: "3.1.0", info: { title: "Polled", version: "1" } };
  });
  await using client = socketClient(app);
  const url = await client.url("/openapi.json");
  const stop = new AbortController();
  const lines: string[] = [];
  const print = (line: string) => lines.push(line);
  const code = runClientCommand([url, "--out", out, "--watch"], { out: print, err: print }, stop.signal);
  await waitFor(() => requests === 2);
  stop.abort();
  expect([await code, lines]).toEqual([0, [`${out} written`]]);
});

test.each([
  [[], 2, "expected exactly one SOURCE"],
  [[source], 2, "--out FILE is required"],
  [[source, "more", "--out", out], 2, "one SOURCE"],
  [[source, "--chek"], 2, "--chek"],
  [[source, "--out", out, "--watch", "--check"], 2, "cannot be combined"],
  [["app.ts", "--out", out, "--watch"], 2, "needs a document as a file or URL"],
  [[join(folder, "absent.json"), "--out", out], 1, "ENOENT"],
  [[join(folder, "absent/openapi.json"), "--out", out, "--watch"], 1, "cannot watch"],
  [["http://127.0.0.1:1/openapi.json", "--out", out], 1, "cannot read"],
  [["--help"], 0, "usage:"],
])("%j exits with code %d and the reason", async (args, code, text) => {
  expect(await run(...args)).toEqual({ code, text: expect.stringContaining(text) });
});
