import { readFileSync } from "node:fs";
import { join } from "node:path";
import { App, ForbiddenError, type TransportName } from "@framework/core";
import { isUnder } from "@framework/core/feature";
import { socketClient } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { sendRaw, RawConversation } from "./raw-requests.test-kit.ts";
import { root, spellings } from "./path-spellings.test-kit.ts";
import { canary, servedApp } from "./served-app.test-kit.ts";
import { isServedName, requestNames } from "./request-names.ts";
import { isOtherSpelling } from "./served-folder.ts";
import { staticFiles } from "./index.ts";

const servedOver = async (transport: TransportName) => {
  const app = new (App.with(staticFiles))().enableStaticFiles({ directory: join(root, "public") });
  const client = socketClient(app, { transport });
  await client.get("/static/a.txt");
  return client;
};

test("the forbidden files exist, and links and names resolve to them", () => {
  for (const path of [
    "canary.txt",
    "public/.env",
    "public/out.txt",
    "public/out/canary.txt",
    "public/sibling/canary.txt",
  ])
    expect(readFileSync(join(root, path), "utf8")).toBe(canary);
  expect(spellings.length).toBeGreaterThan(3000);
});

/** The path is parsed by code that both transports share; for `node:http`, every fifth spelling suffices to show that the target is passed on unchanged. */
const strides = { fast: 1, node: 5 };

for (const transport of ["fast", "node"] as const) {
  test(`no spelling of a path returns a hidden file or a file outside the folder (${transport} transport)`, async () => {
    await using client = await servedOver(transport);
    const url = await client.url("/");
    const statuses = new Map<number, number>();
    const wrong: string[] = [];
    const queue = spellings.filter((_, at) => at % strides[transport] === 0);
    const worker = async (): Promise<void> => {
      const conversation = new RawConversation(url);
      for (let target = queue.pop(); target !== undefined; target = queue.pop()) {
        const { status, head, body } = await conversation.get(target);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        if (`${head}${body}`.includes(canary) || ![200, 301, 400, 404].includes(status))
          wrong.push(`${target}: ${status}`);
        if (status === 301 && !/\r\nlocation: \/static\/[^/\\]/i.test(head)) wrong.push(`${target}: ${head}`);
      }
      conversation.close();
    };
    await Promise.all(Array.from({ length: 16 }, worker));
    expect(wrong).toEqual([]);
    expect(statuses.get(400)).toBeGreaterThan(300 / strides[transport]);
    expect(statuses.get(404)).toBeGreaterThan(1000 / strides[transport]);
  });

  test(`ordinary names are served, in every escaped spelling (${transport} transport)`, async () => {
    await using client = await servedOver(transport);
    for (const [target, body] of [
      ["/static/a.txt", "a"],
      ["/static/%61.txt", "a"],
      ["/st%61tic/a%2etxt", "a"],
      ["/static/sub/b.txt", "b"],
      ["/static/name%20with%20space.txt", "space"],
      ["/static/gr%C3%BCn.txt", "green"],
      ["/static/100%25.txt", "percent"],
      ["/static/a..b.txt", "dots"],
      ["/static/inner.txt", "a"],
      ["/static/A.TXT", "a"],
      ["/static/inner-folder/b.txt", "b"],
      ["/static/a.txt?v=1", "a"],
      ["/static/", "<p>index</p>"],
      ["/static/sub/", "<p>sub</p>"],
    ] as const) {
      const reply = await sendRaw(await client.url("/"), target);
      expect([target, reply.status, Buffer.from(reply.body, "latin1").toString()]).toEqual([
        target,
        200,
        body,
      ]);
    }
  });
}

test("dotFiles serves hidden names, but nothing from outside", async () => {
  const { app } = servedApp({ ".well-known/x": "known", out: { link: "/" } }, { dotFiles: true });
  await using client = socketClient(app);
  expect((await client.get("/static/.well-known/x")).text).toBe("known");
  for (const path of ["/static/out/etc/passwd", "/static/%2e%2e/x", "/static/.../x"])
    expect([400, 404]).toContain((await sendRaw(await client.url("/"), path)).status);
});

test("middleware and guards of a subfolder see every request for it, with the canonical path", async () => {
  const { app } = servedApp({ "private/x.txt": canary, "a.txt": "a" });
  app.use((request, next) => {
    if (isUnder(request.path, "/static/private")) throw new ForbiddenError();
    return next(request);
  });
  await using client = socketClient(app);
  const spellingsOfPrivate = ["private", "%70rivate", "privat%65", "%70%72%69%76%61%74%65"];
  for (const name of spellingsOfPrivate)
    expect((await sendRaw(await client.url("/"), `/static/${name}/x.txt`)).status).toBe(403);
  for (const target of [
    "/static//private/x.txt",
    "/static/./private/x.txt",
    "/static/PRIVATE/x.txt",
    "/static/private%2fx.txt",
  ])
    expect([400, 404]).toContain((await sendRaw(await client.url("/"), target)).status);
  expect((await client.get("/static/a.txt")).status).toBe(200);
});

test("on Windows, reserved names are not served", () => {
  const rules = { dotFiles: false, platform: "win32" };
  for (const name of ["a.txt", "console", "com10", "nullable.txt", "a~b", "lpt", "aux-cable.txt"])
    expect([name, isServedName(name, rules)]).toEqual([name, true]);
  for (const name of [
    "a.txt:stream",
    "C:",
    "con",
    "CON.txt",
    "nul",
    "Aux.html",
    "com1",
    "lpt9.log",
    "com¹",
    "PROGRA~1",
    "a.",
    "a ",
    "a?",
    "a*",
    "<a>",
    'a"b',
    "a|b",
    "conin$",
    "nul .txt",
  ])
    expect([name, isServedName(name, rules)]).toEqual([name, false]);
  expect(isServedName("a.txt:stream", { ...rules, platform: "linux" })).toBe(true);
});

test("a path is parsed into names below the prefix, none of which contains a slash", () => {
  const rules = { dotFiles: false, platform: "linux" };
  expect(requestNames("/static/a/b", 1, rules)).toEqual({ names: ["a", "b"], isFolder: false });
  expect(requestNames("/static/a/", 1, rules)).toEqual({ names: ["a"], isFolder: true });
  expect(requestNames("/static", 1, rules)).toEqual({ names: [], isFolder: false });
  expect(requestNames("/", 0, rules)).toEqual({ names: [], isFolder: true });
  for (const path of [
    "/static//a",
    "/static/a//",
    "/static/a%2Fb",
    "/static/%2F",
    "/static/.a",
    "/static/a\\b",
  ])
    expect([path, requestNames(path, 1, rules)]).toEqual([path, null]);
});

test("paths that differ only in case or Unicode form count as other spellings", () => {
  expect(isOtherSpelling("/r/PRIVATE/x", "/r/private/x")).toBe(true);
  expect(isOtherSpelling("/r/e\u0301", "/r/\u00e9")).toBe(true);
  expect(isOtherSpelling("/r/private/x", "/r/private/x")).toBe(false);
  expect(isOtherSpelling("/r/link/x", "/r/target/x")).toBe(false);
});
