import { expect, test } from "@jest/globals";
import { App, Blueprint, type HttpMiddlewareObject, Response } from "../index.ts";
import type { Host } from "../feature.ts";

type Installable = HttpMiddlewareObject & { readonly hosts: Host[] };

const installable = (name: string, skipped = "/none"): Installable => ({
  hosts: [],
  handle: (request, next) => next(request),
  install(host) {
    this.hosts.push(host);
    host.warn({ code: "TEST", message: name });
  },
  describeAuth: () => ({
    schemes: { [name]: { type: "http", scheme: "bearer" } },
    skips: (path) => path === skipped,
  }),
});

test("an object is installed once per app, even if the app and every route of a blueprint use it", () => {
  const [ofApp, ofBlueprint] = [installable("app"), installable("blueprint")];
  const make = () => {
    const app = new App().use(ofApp);
    const books = new Blueprint("/books").use(ofBlueprint);
    books.get("/one", () => 1);
    books.get("/two", () => 2);
    return app.registerBlueprint(books);
  };
  make();
  expect([ofApp.hosts.length, ofBlueprint.hosts.length]).toEqual([1, 1]);
  make();
  expect([ofApp.hosts.length, ofBlueprint.hosts.length]).toEqual([2, 2]);
});

test("an object can add start tasks and report mistakes, which fail the start", async () => {
  const done: string[] = [];
  const app = new App().use({
    handle: () => Response.noContent(),
    install: (host) => host.life.onStart(() => void done.push(host.life.settings.env)),
  });
  expect((await app.fetch(new Request("http://host.test/"))).status).toBe(204);
  expect(done).toEqual(["development"]);
  const refused = new App().use({
    handle: () => Response.noContent(),
    install: (host) => host.problem({ code: "TEST_WRONG", message: "wrong" }),
  });
  await expect(refused.start()).rejects.toThrow("wrong");
});

test("a route lists the authentications of the app, then of its blueprint, without authentications that skip its path", () => {
  const app = new App().use(installable("app", "/open")).use((request, next) => next(request));
  const books = new Blueprint("/books").use(installable("blueprint", "/books/two"));
  books.get("/one", () => 1);
  books.get("/two", () => 2);
  app.registerBlueprint(books).get("/open", () => 3);
  expect(
    app.routes.map(({ path, auth }) => [path, auth.flatMap(({ schemes }) => Object.keys(schemes))]),
  ).toEqual([
    ["/books/one", ["app", "blueprint"]],
    ["/books/two", ["app"]],
    ["/open", []],
  ]);
});

test("a middleware object without a prototype works, also under debug", async () => {
  const middleware = Object.assign(Object.create(null) as object, {
    handle: ((request, next) => next(request)) as HttpMiddlewareObject["handle"],
  });
  const app = new App().use(middleware);
  app.get("/", () => "x");
  await app.start({ env: "development", log: { info() {}, warn() {}, error() {} } });
  expect(await (await app.fetch(new Request("http://x.test/"))).text()).toBe("x");
});
