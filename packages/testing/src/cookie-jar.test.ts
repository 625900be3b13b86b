// oxlint-disable jest/no-standalone-expect -- the assertions run inside the tests that eachClient registers
import { App, Response } from "@framework/core";
import { expect, test } from "@jest/globals";
import { cookieJar } from "./cookie-jar.ts";
import { eachClient } from "./each-client.ts";
import { readSetCookies } from "./set-cookie.ts";

const setCookies = (...lines: string[]): Headers => new Headers(lines.map((line) => ["set-cookie", line]));

test("reads name, value and every attribute of a cookie", () => {
  const line =
    "id=a=b%20c; Path=/x; Domain=d.test; Expires=Thu, 01 Jan 2026 00:00:00 GMT; Max-Age=60; Secure; HttpOnly; SameSite=Lax";
  expect(readSetCookies(setCookies(line))).toEqual([
    {
      name: "id",
      value: "a=b%20c",
      path: "/x",
      domain: "d.test",
      expires: new Date("2026-01-01T00:00:00Z"),
      maxAge: 60,
      secure: true,
      httpOnly: true,
      sameSite: "Lax",
    },
  ]);
});

test("omits lines without a name, and malformed attributes", () => {
  const cookies = readSetCookies(setCookies("novalue", "=x", "a=1; Max-Age=soon; Expires=never"));
  expect(cookies.map(({ name, maxAge, expires }) => [name, maxAge, expires])).toEqual([
    ["a", undefined, undefined],
  ]);
});

test("sends a cookie to its path and below, the most specific path first", () => {
  const jar = cookieJar();
  jar.store(setCookies("all=1; Path=/", "deep=2; Path=/a/b", "near=3"), "/a/page?x=1");
  expect(jar.fieldFor("/")).toBe("all=1");
  expect(jar.fieldFor("/a")).toBe("near=3; all=1");
  expect(jar.fieldFor("/a/b/c?y=/z")).toBe("deep=2; near=3; all=1");
  expect(jar.fieldFor("/a/bc")).toBe("near=3; all=1");
});

test("a later cookie with the same name and path replaces the earlier one", () => {
  const jar = cookieJar();
  jar.store(setCookies("a=1; Path=/", "a=2; Path=/"), "/");
  expect(jar.fieldFor("/")).toBe("a=2");
});

test("Max-Age overrides Expires; both expire a cookie, immediately or later", () => {
  let now = Date.parse("2026-01-01T00:00:00Z");
  const jar = cookieJar(() => now);
  jar.store(
    setCookies(
      "age=1; Max-Age=10; Expires=Thu, 01 Jan 1970 00:00:00 GMT",
      "date=2; Expires=Thu, 01 Jan 2026 00:00:20 GMT",
    ),
    "/",
  );
  expect(jar.fieldFor("/")).toBe("age=1; date=2");
  now += 10_000;
  expect(jar.fieldFor("/")).toBe("date=2");
  jar.store(setCookies("date=; Max-Age=0"), "/");
  expect(jar.fieldFor("/")).toBeNull();
});

test("keeps the latest 300 cookies", () => {
  const jar = cookieJar();
  for (let index = 0; index < 310; index++) jar.store(setCookies(`c${index}=1`), "/");
  const names = jar.fieldFor("/")?.split("; ") ?? [];
  expect([names.length, names[0]]).toEqual([300, "c10=1"]);
});

const visitCounter = (): App => {
  const app = new App();
  app.get("/visit", (request) => {
    const visits = Number(request.cookies.get("visits") ?? 0) + 1;
    return Response.json({ visits, own: request.cookies.get("own") ?? null }).setCookie(
      "visits",
      String(visits),
      { httpOnly: true },
    );
  });
  return app;
};

eachClient(
  test,
  visitCounter,
  {
    "a client that keeps cookies sends them back, together with a request's own": async (client) => {
      const first = await client.get("/visit");
      expect(first.cookies.get("visits")).toMatchObject({
        value: "1",
        path: "/",
        httpOnly: true,
        secure: false,
      });
      const second = await client.get("/visit", { headers: { cookie: "own=yes" } });
      expect(second.json()).toEqual({ visits: 2, own: "yes" });
    },
    "a cookie of a request replaces the kept one of the same name, in that request": async (client) => {
      await client.get("/visit");
      const own = await client.get("/visit", { headers: { Cookie: "own=yes; visits=40" } });
      expect(own.json()).toEqual({ visits: 41, own: "yes" });
      expect((await client.get("/visit")).json()).toMatchObject({ visits: 42 });
    },
  },
  { cookies: true },
);

eachClient(test, visitCounter, {
  "a client keeps no cookies by default": async (client) => {
    await client.get("/visit");
    expect((await client.get("/visit")).json()).toMatchObject({ visits: 1 });
  },
});
