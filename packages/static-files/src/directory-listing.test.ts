import { expect, test } from "@jest/globals";
import { MAX_LISTED } from "./directory-listing.ts";
import { send, servedApp } from "./served-app.test-kit.ts";

const nasty = `<img src=x onerror='alert(1)'>&"`;

test("a folder without an index file is listed: folders first, without hidden names and links to the outside", async () => {
  const { app } = servedApp(
    {
      "docs/b.txt": "b",
      "docs/a.txt": "a",
      "docs/deep/x.txt": "x",
      "docs/.env": "secret",
      "docs/out": { link: "/etc" },
      "docs/out.txt": { link: "/etc/passwd" },
      "docs/nowhere": { link: "absent" },
      "docs/inner": { link: "deep" },
      "docs/pipe": { pipe: true },
    },
    { directoryListing: true },
  );
  const reply = await send(app, "/static/docs/");
  expect(reply.status).toBe(200);
  expect(
    [...reply.text.matchAll(/<a href="([^"]*)">([^<]*)<\/a>/g)].map(([, href, text]) => [href, text]),
  ).toEqual([
    ["../", "../"],
    ["./deep/", "deep/"],
    ["./inner/", "inner/"],
    ["./a.txt", "a.txt"],
    ["./b.txt", "b.txt"],
  ]);
  expect(reply.headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(reply.headers.get("cache-control")).toBe("no-cache");
  expect(reply.headers.get("content-security-policy")).toContain("default-src 'none'");
  expect((await send(app, "/static/docs/.git/")).status).toBe(404);
  expect((await send(app, "/static/out/")).status).toBe(404);
  expect((await send(app, "/static/docs")).status).toBe(301);
  expect((await send(app, "/static/docs/", { method: "HEAD" })).text).toBe("");
});

test("names are escaped, and their links resolve to the files", async () => {
  const names = [nasty, "javascript:alert(1)", "a b.txt", "ä?#%.txt", "//evil.test".replaceAll("/", "_")];
  const { app } = servedApp(Object.fromEntries(names.map((name) => [name, name])), {
    directoryListing: true,
  });
  const { text } = await send(app, "/static/");
  expect(text).not.toContain("<img");
  expect(text).not.toContain('href="../"');
  const links = [...text.matchAll(/href="([^"]*)"/g)].map(([, href = ""]) => href);
  expect(links).toHaveLength(names.length);
  const seen = await Promise.all(
    links.map((href) => send(app, new URL(href, "http://localhost/static/").pathname)),
  );
  expect(seen.map(({ text: content }) => content).sort()).toEqual([...names].sort());
});

test("an index file takes precedence over a listing, and a listing is bounded", async () => {
  const many = Object.fromEntries(
    Array.from({ length: MAX_LISTED + 5 }, (_, index) => [`many/${index}.txt`, ""]),
  );
  const { app } = servedApp({ ...many, "indexed/index.html": "index" }, { directoryListing: true });
  expect((await send(app, "/static/indexed/")).text).toBe("index");
  const { text } = await send(app, "/static/many/");
  expect(text.match(/\.txt<\/a>/g)).toHaveLength(MAX_LISTED);
  expect(text).toContain("At most 1000 names are shown.");
});

test("without directoryListing a folder without an index file gets 404", async () => {
  const { app } = servedApp({ "docs/a.txt": "a" });
  const reply = await send(app, "/static/docs/");
  expect([reply.status, reply.text.includes("a.txt")]).toEqual([404, false]);
});
