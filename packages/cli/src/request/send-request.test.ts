import { writeFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { eventLoopClock, runCli, runCliJson } from "../run-cli.test-kit.ts";
import { MAX_SHOWN_BYTES } from "./send-request.ts";

const app = `${import.meta.dirname}/../notes-app.test-program.ts`;
const send = (...words: readonly string[]) => runCli(["request", ...words, "--app", app]);

interface Reply {
  readonly status: number;
  readonly headers: readonly [string, string][];
  readonly body: string;
  readonly bodyIs: string;
  readonly isCut: boolean;
}

const reply = (...words: readonly string[]) => runCliJson<Reply>(["request", ...words, "--app", app]);

test("a request is answered by the started app, without a server", async () => {
  expect(await send("GET", "/notes/7")).toEqual({ exitCode: 0, out: '{"id":"7","started":true}', err: "" });
});

test("JSON from the command line or a file is sent as JSON, other bodies as text", async () => {
  const created = await reply("POST", "/notes", "-d", '{"text":"water"}');
  expect(created).toMatchObject({ status: 201, body: '{"text":"water"}' });
  const file = join(await mkdtemp(join(tmpdir(), "cli-")), "note.json");
  writeFileSync(file, '{"text":"file"}');
  expect(await reply("POST", "/notes", "--data", `@${file}`)).toMatchObject({ body: '{"text":"file"}' });
  expect((await reply("POST", "/notes", "--data", "no json")).status).toBe(400);
});

test("header fields and the query reach the app", async () => {
  expect(await reply("GET", "/echo?q=a%20b", "-H", "X-Note: one")).toMatchObject({
    body: '{"header":"one","query":"a b"}',
  });
});

test("-i prints status and fields; --fail makes a status of 400 or above a failure", async () => {
  const { exitCode, out } = await send("GET", "/notes/9", "-i");
  expect([exitCode, out.split("\n")[0]]).toEqual([0, "HTTP 404"]);
  expect(out).toContain("content-type: application/json\n");
  expect((await send("GET", "/notes/9", "--fail")).exitCode).toBe(1);
  expect((await send("GET", "/notes/1", "--fail")).exitCode).toBe(0);
});

test("control characters of a body are escaped on a terminal and unchanged in JSON", async () => {
  const { out } = await runCli(["request", "GET", "/hostile", "--app", app], { isTerminal: true });
  expect(out).toBe("\\u{1b}]0;owned\\u{7}\\u{9b}31m\\u{202e}\nsecond line\n");
  expect((await reply("GET", "/hostile")).body).toBe("\u001b]0;owned\u0007\u009b31m\u202e\nsecond line");
});

test("without a terminal a body is printed as it is", async () => {
  expect((await send("GET", "/table")).out).toBe("a,b\r\n1,2\r\n\ttab\n");
  expect((await send("GET", "/table", "-i")).out).toMatch(/^HTTP 200\n[^]*\n\na,b\r\n1,2\r\n\ttab\n$/);
});

test("a binary body is printed as its size, and as base64 in JSON", async () => {
  expect((await send("GET", "/bytes")).out).toBe("3 bytes that are not text\n");
  expect(await reply("GET", "/bytes")).toMatchObject({ body: "//4A", bodyIs: "base64" });
});

test("an endless reply is truncated at the limit", async () => {
  const { body, isCut } = await reply("GET", "/endless");
  expect([body.length, isCut]).toEqual([MAX_SHOWN_BYTES, true]);
});

test("a text body that is truncated within a character is still printed as text", async () => {
  const { body, bodyIs, isCut } = await reply("GET", "/umlauts");
  expect([bodyIs, body.length, isCut]).toEqual(["text", 1 + (MAX_SHOWN_BYTES - 2) / 2, true]);
  expect(body).toMatch(/^xü+$/);
});

test("a method may be given in lower case", async () => {
  expect((await reply("patch", "/notes/7")).status).toBe(405); // a known method, without a route
  expect((await reply("post", "/notes", "-d", "{}")).status).toBe(201);
});

test("a body that does not end within the timeout is truncated", async () => {
  const words = ["request", "GET", "/silent", "--timeout", "2", "--app", app];
  expect(await runCliJson<Reply>(words, { clock: eventLoopClock })).toMatchObject({
    body: "first\n",
    isCut: true,
  });
  const { exitCode, out, err } = await runCli(words, { clock: eventLoopClock });
  expect([exitCode, out, err]).toEqual([0, "first\n", "… the rest is left out\n"]);
  const shown = await runCli(words, {
    clock: eventLoopClock,
    isTerminal: true,
    environment: { NO_COLOR: "1" },
  });
  expect(shown.out).toBe("first\n… the rest is left out\n");
});

test("a missing reply ends the command at the timeout", async () => {
  const { exitCode, err } = await send("GET", "/never", "--timeout", "0.05");
  expect([exitCode, err]).toEqual([1, expect.stringContaining("no reply within 0.05 s")]);
});

test.each([
  [["GET", "/", "-H", "no colon"], "has no colon after its name"],
  [["GET", "/", "-d", "x"], "this request cannot be made"],
  [["POST", "/", "-d", "@nowhere.json"], "the body's file cannot be read"],
  [["GET", "::"], "this request cannot be made"],
  [["GET", "notes"], 'a path must start with "/", not "notes"'],
])("the request %j is an error", async (words, message) => {
  const { exitCode, err } = await send(...words);
  expect([exitCode, err]).toEqual([1, expect.stringContaining(message)]);
});

test.each([
  [["/notes"], 'request needs <method>: GET, POST and so on; "/notes" was given instead'],
  [["get"], "request needs <path>: path with its query"],
])("the error for %j names the missing argument", async (words, message) => {
  const { exitCode, err } = await send(...words);
  expect([exitCode, err]).toEqual([2, expect.stringContaining(message)]);
});
