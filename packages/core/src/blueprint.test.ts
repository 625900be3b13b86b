import { expect, test } from "@jest/globals";
import { App, Blueprint, type HttpRequest, type Middleware, Response } from "./index.ts";

const get = async (app: App, path: string) => {
  const reply = await app.fetch(new Request(`http://host.test${path}`));
  return [reply.status, await reply.text()];
};

const wrapBody = (mark: string): Middleware<HttpRequest, Response> =>
  async function wrapBody(request, next) {
    const reply = await next(request);
    return new Response(`${mark}(${await reply.text()})`, { status: reply.status });
  };

test("a blueprint's routes have its prefix, parameters included", async () => {
  const orgs = new Blueprint("/orgs/{org}");
  orgs.get("/users/{id}", (request) => [request.params.org, request.params.id]);
  expect(await get(new App().registerBlueprint(orgs), "/orgs/acme/users/7")).toEqual([200, '["acme","7"]']);
});

test.each([
  ["", "/users"],
  ["/", "/users/"],
])("the route %j of the blueprint /users matches only %s", async (path, url) => {
  const users = new Blueprint("/users");
  users.get(path, () => "users");
  const app = new App().registerBlueprint(users);
  expect(await get(app, url)).toEqual([200, "users"]);
  expect((await get(app, url === "/users" ? "/users/" : "/users"))[0]).toBe(404);
});

test("nested blueprints join their prefixes and run guards and middleware from the outside in", async () => {
  const order: string[] = [];
  const guard = (name: string) => () => void order.push(name);
  const outer = new Blueprint("/outer", { guards: [guard("outer")] }).use(wrapBody("outer"));
  const inner = new Blueprint("/inner").use(wrapBody("inner")).addGuard(guard("inner"));
  inner.get("/x", { guards: [guard("route")] }, () => "x");
  outer.registerBlueprint(inner);
  const app = new App().addGuard(guard("app")).use(wrapBody("app")).registerBlueprint(outer);
  expect(await get(app, "/outer/inner/x")).toEqual([200, "app(outer(inner(x)))"]);
  expect(order).toEqual(["app", "outer", "inner", "route"]);
});

test("a blueprint's middleware and guards do not affect other routes", async () => {
  const closed = new Blueprint("/closed").use(wrapBody("closed")).addGuard(() => false);
  closed.get("/x", () => "x");
  const app = new App().registerBlueprint(closed);
  app.get("/open", () => "open");
  expect(await get(app, "/open")).toEqual([200, "open"]);
  expect((await get(app, "/closed/x"))[0]).toBe(403);
});

test("a route has the tags of its blueprint and its own", () => {
  const users = new Blueprint("/users", { tags: ["users"] });
  users.get("", { tags: ["lists", "users"] }, () => []);
  const [route] = new App().registerBlueprint(users).routes;
  expect(route).toMatchObject({ method: "GET", path: "/users", tags: ["users", "lists"] });
});

test("a route added to a blueprint after its registration is ignored", async () => {
  const late = new Blueprint("/late");
  const app = new App().registerBlueprint(late);
  late.get("/x", () => "x");
  expect((await get(app, "/late/x"))[0]).toBe(404);
});

test("start rejects routes of two blueprints with the same path, and the error names both places", async () => {
  const one = new Blueprint("/a");
  one.get("/{x}", () => 1);
  const two = new Blueprint("/a");
  two.get("/{y}", () => 2);
  const start = new App().registerBlueprint(one).registerBlueprint(two).start();
  await expect(start).rejects.toThrow(/blueprint\.test\.ts:\d+:\d+ and .*blueprint\.test\.ts:\d+:\d+/);
});

test("tags given as a string are rejected, not spread into characters", () => {
  expect(() => new Blueprint("/books", { tags: "books" as never })).toThrow(
    'new Blueprint("/books") takes an object of options, whose guards and tags are lists',
  );
});
