import { expect, test } from "@jest/globals";
import { canonicalise } from "./canonical-path.ts";
import { type Match, Router } from "./router.ts";

const somewhere = { toString: () => "routes.ts:1:1" };

const routerOf = (...lines: readonly string[]): Router<string> => {
  const router = new Router<string>();
  for (const line of lines) {
    const [method = "", path = ""] = line.split(/ (.*)/);
    expect(router.add(method, path, line, somewhere)).toBeNull();
  }
  return router;
};

const findIn = (router: Router<string>, method: string, target: string): Match<string> | null =>
  router.find(method, canonicalise(target));

const routes = [
  "GET /",
  "GET /books",
  "POST /books",
  "GET /books/{id}",
  "POST /books/new",
  "GET /books/{id}/reviews",
  "GET /books/latest/{field}",
  "GET /books/{*rest}",
  "GET /files/{*path}",
  "GET /größe/a b",
  "GET /100%",
  "GET /slash/",
  "GET /{a}/{b}/end",
];

test.each([
  ["/", "GET /", {}],
  ["/books", "GET /books", {}],
  ["/%62ooks?x=1", "GET /books", {}],
  ["/books/7", "GET /books/{id}", { id: "7" }],
  ["/books/a%2Fb", "GET /books/{id}", { id: "a/b" }],
  ["/books/%25%C3%B6", "GET /books/{id}", { id: "%ö" }],
  ["/books/new", "GET /books/{id}", { id: "new" }],
  ["/books/latest", "GET /books/{id}", { id: "latest" }],
  ["/books/latest/title", "GET /books/latest/{field}", { field: "title" }],
  ["/books/latest/reviews", "GET /books/latest/{field}", { field: "reviews" }],
  ["/books/7/reviews", "GET /books/{id}/reviews", { id: "7" }],
  ["/books/7/reviews/", "GET /books/{*rest}", { rest: "7/reviews/" }],
  ["/books/latest/", "GET /books/{*rest}", { rest: "latest/" }],
  ["/books/latest/end", "GET /books/latest/{field}", { field: "end" }],
  ["/books//x", "GET /books/{*rest}", { rest: "/x" }],
  ["/files/a/b%2Fc", "GET /files/{*path}", { path: "a/b/c" }],
  ["/files//", "GET /files/{*path}", { path: "/" }],
  ["/files/x/end", "GET /files/{*path}", { path: "x/end" }],
  ["/gr%C3%B6%C3%9Fe/a%20b", "GET /größe/a b", {}],
  ["/100%25", "GET /100%", {}],
  ["/slash/", "GET /slash/", {}],
  ["/x/y/end", "GET /{a}/{b}/end", { a: "x", b: "y" }],
])("GET %s matches the route %s", (target, route, params) => {
  for (const router of [routerOf(...routes), routerOf(...routes.toReversed())]) {
    const match = findIn(router, "GET", target);
    expect(match?.value).toBe(route);
    expect({ ...match?.params }).toEqual(params);
  }
});

test.each([
  "/Books",
  "/books/",
  "/files",
  "/files/",
  "//books",
  "/slash",
  "/x//end",
  "/x/y",
  "/x/y/end/",
  "/gr%C3%B6%C3%9Fe",
])("GET %s matches no route", (target) => {
  expect(findIn(routerOf(...routes), "GET", target)).toBeNull();
});

test("each method has its own routes", () => {
  const router = routerOf(...routes);
  expect(findIn(router, "POST", "/books/new")?.value).toBe("POST /books/new");
  expect(findIn(router, "POST", "/books/7")).toBeNull();
  expect(findIn(router, "DELETE", "/books/7")).toBeNull();
  expect(findIn(router, "get", "/books")).toBeNull();
  expect(findIn(router, "__proto__", "/books")).toBeNull();
});

test("backtracks to a wildcard when a more specific node has no match", () => {
  const router = routerOf("GET /a/{b}/c/{d}/e", "GET /a/b/{*rest}", "GET /{*all}");
  expect(findIn(router, "GET", "/a/b/c/d/e")?.value).toBe("GET /a/b/{*rest}");
  expect(findIn(router, "GET", "/a/x/c/d/e")?.value).toBe("GET /a/{b}/c/{d}/e");
  expect(findIn(router, "GET", "/a/x/c/d/f")?.params).toMatchObject({ all: "a/x/c/d/f" });
  expect(findIn(router, "GET", "/")).toBeNull();
});

test("HEAD matches the GET route, unless HEAD has a route of the same shape", () => {
  for (const lines of [
    ["GET /books/{id}", "HEAD /books/{key}", "GET /books/new", "HEAD /{*all}"],
    ["HEAD /{*all}", "GET /books/new", "HEAD /books/{key}", "GET /books/{id}"],
  ]) {
    const router = routerOf(...lines);
    expect(findIn(router, "HEAD", "/books/new")).toMatchObject({ method: "GET", value: "GET /books/new" });
    const head = findIn(router, "HEAD", "/books/7");
    expect(head).toMatchObject({ method: "HEAD", value: "HEAD /books/{key}" });
    expect({ ...head?.params }).toEqual({ key: "7" });
    expect({ ...findIn(router, "GET", "/books/7")?.params }).toEqual({ id: "7" });
    expect(findIn(router, "HEAD", "/x")).toMatchObject({ method: "HEAD" });
  }
});

test.each([
  ["/books", ["GET", "HEAD", "OPTIONS", "POST"]],
  ["/books/new", ["GET", "HEAD", "OPTIONS", "POST"]],
  ["/books/7", ["GET", "HEAD", "OPTIONS"]],
  ["/only/head", ["HEAD", "OPTIONS"]],
  ["/custom", ["OPTIONS"]],
  ["/query", ["OPTIONS", "QUERY"]],
  ["/nothing", []],
])("lists the methods of %s for Allow", (target, expected) => {
  const router = routerOf(...routes, "HEAD /only/head", "OPTIONS /custom", "QUERY /query");
  expect(router.allowedMethods(canonicalise(target))).toEqual(expected);
});

test("lists the methods of all routes", () => {
  expect(routerOf("POST /x", "GET /y").methods()).toEqual(["GET", "HEAD", "OPTIONS", "POST"]);
  expect(routerOf().methods()).toEqual(["OPTIONS"]);
});

test("the parameters of a route without any are frozen and have no prototype", () => {
  const params = findIn(routerOf(...routes), "GET", "/books")?.params;
  expect(Object.isFrozen(params)).toBe(true);
  expect(Object.getPrototypeOf(params)).toBeNull();
});

test("decodes parameters independently of earlier paths", () => {
  const router = routerOf("GET /books/{id}", "GET /books");
  const long = "x".repeat(300);
  const paths = ["7", "a%2Fb", `${long}%2F`, long];
  const ids = ["7", "a/b", `${long}/`, long];
  for (const first of paths.keys()) {
    for (const second of [...paths.keys(), ...paths.keys()]) {
      findIn(router, "GET", "/books");
      expect(findIn(router, "GET", `/books/${paths[first]}`)?.params).toEqual({ id: ids[first] });
      expect(findIn(router, "GET", `/books/${paths[second]}`)?.params).toEqual({ id: ids[second] });
      expect(findIn(router, "GET", `/books/${paths[second]}`)?.params).toEqual({ id: ids[second] });
    }
  }
});

test("creates the parameters once", () => {
  const match = findIn(routerOf(...routes), "GET", "/books/7");
  expect(match?.params).toBe(match?.params);
});

test.each([
  ["/books/{id}", "/books/{slug}", "GET /books/{id} and GET /books/{slug} match the same paths"],
  ["/books/{id}", "/books/{id}", "GET /books/{id} is registered twice"],
  ["/books", "/books", "GET /books is registered twice"],
  ["/f/{*a}", "/f/{*b}", "GET /f/{*a} and GET /f/{*b} match the same paths"],
])("rejects %s and %s and names both places", (one, other, text) => {
  const router = new Router<string>();
  expect(router.add("GET", one, "first", { toString: () => "a.ts:1:2" })).toBeNull();
  expect(router.add("POST", other, "elsewhere", somewhere)).toBeNull();
  expect(router.add("GET", other, "second", { toString: () => "b.ts:3:4" })).toEqual({
    code: "CORE_ROUTE_DUPLICATE",
    message: `${text}, at a.ts:1:2 and b.ts:3:4: remove one or change its path`,
  });
  expect(findIn(router, "GET", one.replace(/\{.*/, "x"))?.value).toBe("first");
});

test("accepts routes of different shape", () => {
  const shapes = [
    "/",
    "//",
    "/a",
    "/a/",
    "/A",
    "/{a}",
    "/{*a}",
    "/a/{b}",
    "/{a}/b",
    "/{a}/{b}",
    "/{a}/{*b}",
    "/{a}/",
  ];
  const router = routerOf(...shapes.map((path) => `GET ${path}`));
  for (const path of shapes)
    expect(router.add("GET", path, "again", somewhere)?.code).toBe("CORE_ROUTE_DUPLICATE");
});

test("rejects a second HEAD route, but not one in addition to GET", () => {
  const router = routerOf("GET /x", "HEAD /x");
  expect(router.add("HEAD", "/x", "again", somewhere)?.code).toBe("CORE_ROUTE_DUPLICATE");
  expect(router.add("GET", "/x", "again", somewhere)?.code).toBe("CORE_ROUTE_DUPLICATE");
});

test("rejects a bad pattern and names its place", () => {
  expect(new Router<string>().add("GET", "/:id", "x", somewhere)).toEqual({
    code: "CORE_ROUTE_BAD_PATTERN",
    message: 'the route path "/:id" has the segment ":id": write {id} (at routes.ts:1:1)',
  });
});
