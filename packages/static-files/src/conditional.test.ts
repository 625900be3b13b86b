import { utimesSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { servedApp } from "./served-app.test-kit.ts";

const modified = "Fri, 02 Jan 2026 03:04:05 GMT";
const earlier = "Fri, 02 Jan 2026 03:04:04 GMT";
const later = "Fri, 02 Jan 2026 03:04:06 GMT";

/** A condition: absent, true, false or malformed. */
type State = "absent" | "true" | "false" | "malformed";
const states: readonly State[] = ["absent", "true", "false", "malformed"];

const valueOf = (field: string, state: State, etag: string): string | null => {
  if (state === "absent") return null;
  if (state === "malformed") return field.endsWith("match") ? 'no "tag' : "not a date";
  const isTrue = state === "true";
  switch (field) {
    case "if-match":
      return isTrue ? `"x", ${etag}` : `W/${etag}`;
    case "if-unmodified-since":
      return isTrue ? modified : earlier;
    case "if-none-match":
      return isTrue ? '"x"' : `W/${etag}`; // the condition is true when no tag matches
    case "if-modified-since":
      return isTrue ? earlier : later;
    default:
      return isTrue ? etag : '"x"';
  }
};

/** RFC 9110 13.2.2, step by step. */
const expectedStatus = (
  method: string,
  [ifMatch, ifUnmodified, ifNoneMatch, ifModified, ifRange]: readonly State[],
): number => {
  if (ifMatch !== "absent" && ifMatch !== "true") return 412;
  if (ifMatch === "absent" && ifUnmodified === "false") return 412;
  if (ifNoneMatch === "false") return 304;
  if (ifNoneMatch === "absent" && ifModified === "false") return 304;
  if (method === "GET" && (ifRange === "absent" || ifRange === "true")) return 206;
  return 200;
};

test("conditions and ranges are evaluated in the order of RFC 9110 13.2.2, in every combination", async () => {
  const { app, root } = servedApp({ "a.txt": "0123456789" });
  utimesSync(join(root, "a.txt"), new Date(modified), new Date(modified));
  const first = await app.fetch(new Request("http://localhost/static/a.txt"));
  const etag = first.headers.get("etag") ?? "";
  const fields = ["if-match", "if-unmodified-since", "if-none-match", "if-modified-since", "if-range"];
  const differences: string[] = [];
  const counts = new Map<number, number>();
  for (let index = 0; index < 4 ** fields.length; index++) {
    const combination = fields.map((_, at) => states[Math.floor(index / 4 ** at) % 4] ?? "absent");
    const headers = new Headers({ range: "bytes=2-4" });
    for (const [at, field] of fields.entries()) {
      const value = valueOf(field, combination[at] ?? "absent", etag);
      if (value !== null) headers.set(field, value);
    }
    for (const method of ["GET", "HEAD"]) {
      const reply = await app.fetch(new Request("http://localhost/static/a.txt", { method, headers }));
      const expected = expectedStatus(method, combination);
      counts.set(expected, (counts.get(expected) ?? 0) + 1);
      const text = await reply.text();
      const body = { 200: method === "GET" ? "0123456789" : "", 206: "234", 304: "" }[reply.status] ?? text;
      if (reply.status !== expected || text !== body)
        differences.push(`${method} ${combination.join(" ")}: ${reply.status} ${text}, not ${expected}`);
    }
  }
  expect(differences).toEqual([]);
  expect([...counts.values()].reduce((sum, count) => sum + count)).toBe(2048);
  expect([...counts.keys()].sort((one, other) => one - other)).toEqual([200, 206, 304, 412]);
  expect(app.snapshot()["static-files"]).toMatchObject({ openFiles: 0 });
});

test("a 304 has the fields of the 200, except fields of its body", async () => {
  const { app } = servedApp({ "a.css": "a{}" }, { headers: { "x-own": "1" } });
  const whole = await app.fetch(new Request("http://localhost/static/a.css"));
  const etag = whole.headers.get("etag") ?? "";
  const same = await app.fetch(
    new Request("http://localhost/static/a.css", { headers: { "if-none-match": etag } }),
  );
  const expected = Object.fromEntries(whole.headers);
  for (const name of ["content-type", "content-length", "accept-ranges"]) delete expected[name];
  expect([same.status, Object.fromEntries(same.headers)]).toEqual([304, expected]);
  expect(Object.keys(expected).sort()).toEqual(["cache-control", "etag", "last-modified", "vary", "x-own"]);
});

test("* matches every existing file, and no missing one", async () => {
  const { app } = servedApp({ "a.txt": "a" });
  const status = async (path: string, headers: Record<string, string>) =>
    (await app.fetch(new Request(`http://localhost/static/${path}`, { headers }))).status;
  expect(await status("a.txt", { "if-none-match": "*" })).toBe(304);
  expect(await status("a.txt", { "if-match": "*" })).toBe(200);
  expect(await status("b.txt", { "if-none-match": "*" })).toBe(404);
  expect(await status("b.txt", { "if-match": "*" })).toBe(404);
});

test("the ETag of a file that has just changed is weak, because the file may change again within the resolution of its modification time", async () => {
  const { app, root } = servedApp({ "a.txt": "0123456789" });
  const ahead = new Date(Date.now() + 1000);
  utimesSync(join(root, "a.txt"), ahead, ahead);
  const get = (headers: Record<string, string>) =>
    app.fetch(new Request("http://localhost/static/a.txt", { headers }));
  const etag = (await get({})).headers.get("etag") ?? "";
  expect(etag).toMatch(/^W\/"a-/);
  expect((await get({ "if-none-match": etag })).status).toBe(304);
  expect((await get({ range: "bytes=0-1", "if-range": etag })).status).toBe(200);
});
