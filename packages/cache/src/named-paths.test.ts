import { Response } from "@framework/core";
import { expect, test } from "@jest/globals";
import { cachedApp } from "./cached-app.test-kit.ts";

/** Returns the stored paths that are dropped after a write with these fields in its reply. */
const droppedBy = async (
  fields: Readonly<Record<string, string>>,
  stored: readonly string[],
  { path = "/write", status = 200 } = {},
): Promise<readonly string[]> => {
  const { app, get, send } = cachedApp();
  app.get("/{*path}", () => "x");
  app.post("/{*path}", () => new Response("done", { status, headers: fields }));
  for (const each of stored) await get(each);
  await send("POST", path);
  const dropped: string[] = [];
  for (const each of stored) if ((await get(each)).outcome === "MISS") dropped.push(each);
  return dropped;
};

test("a write drops the replies of the paths in its Location and Content-Location, for every query", async () => {
  const stored = ["/books/7", "/books/7?page=2", "/books/8", "/list", "/write"];
  expect(await droppedBy({ location: "/books/7", "content-location": "/list" }, stored)).toEqual([
    "/books/7",
    "/books/7?page=2",
    "/list",
    "/write",
  ]);
  expect(await droppedBy({ location: "/books/7" }, stored, { status: 303 })).toContain("/books/7");
});

test("a location may be relative, absolute, or encoded in another way", async () => {
  const stored = ["/a/b", "/a/c%20d"];
  expect(await droppedBy({ location: "b" }, stored, { path: "/a/write" })).toEqual(["/a/b"]);
  expect(await droppedBy({ location: "../a/b?x=1#top" }, stored, { path: "/a/write" })).toEqual(["/a/b"]);
  expect(await droppedBy({ location: "http://localhost/a/b" }, stored)).toEqual(["/a/b"]);
  expect(await droppedBy({ location: "HTTP://LOCALHOST:80/%61/%62" }, stored)).toEqual(["/a/b"]);
  expect(await droppedBy({ location: "/a/c d" }, stored)).toEqual(["/a/c%20d"]);
});

test("a location at another origin, or that is not a path, drops nothing", async () => {
  const others = ["http://other.test/a", "https://localhost/a", "http://localhost:81/a", "//other.test/a"];
  for (const location of [...others, "http://", "mailto:a", "/%ff", "/a%00"])
    expect([location, await droppedBy({ location }, ["/a"])]).toEqual([location, []]);
});

test("a failed write drops nothing", async () => {
  for (const status of [400, 409, 500])
    expect(
      await droppedBy({ location: "/a", "content-location": "/write" }, ["/a", "/write"], { status }),
    ).toEqual([]);
});

test("a write to a path without stored replies drops the replies of its Location", async () => {
  const { app, get, send } = cachedApp();
  app.get("/books/{id}", () => "book");
  app.post("/orders", () => new Response(null, { status: 303, headers: { location: "/books/7" } }));
  await get("/books/7");
  await send("POST", "/orders");
  expect((await get("/books/7")).outcome).toBe("MISS");
});
