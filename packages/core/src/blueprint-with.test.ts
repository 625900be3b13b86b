import { expect, test } from "@jest/globals";
import {
  App,
  Blueprint,
  dependency,
  type HttpRequest,
  type Injections,
  type Middleware,
  type PathParams,
  Response,
  type RouteOptions,
} from "./index.ts";
import type { AddsRouteOptions, AppOf, Host, PrefixOf, RouteFeature } from "./feature.ts";

type Echo<Routes, P extends string> = (
  request: HttpRequest<PathParams<`${PrefixOf<Routes>}${P}`>, never, AppOf<Routes> & object>,
) => unknown;
interface EchoOptions extends Pick<RouteOptions, "guards" | "timeoutSecs"> {
  readonly injections?: Injections;
}
interface EchoRoutes {
  echo<const P extends string>(path: P, reply: Echo<this, P>, options?: EchoOptions): void;
}
interface EchoMethods extends EchoRoutes, AddsRouteOptions<{ readonly loud?: boolean }> {
  said(): readonly string[];
}

const addEcho = (
  host: Host,
  path: string,
  reply: (request: HttpRequest) => unknown,
  { injections = {}, ...options }: EchoOptions = {},
): void => {
  host.state.inject(`echoes of ${path}`, injections);
  host.http.route("GET", `${path}/echo`, reply, options);
};

/** Registers routes that end in `/echo`, records the paths of the app's requests, and replies LOUD on routes with the option `loud`. */
const echo: RouteFeature<EchoMethods, EchoRoutes> = {
  name: "echo",
  routeMethods: ["echo"],
  install: (host) => {
    const said: string[] = [];
    const loud = host.http.routeOption("loud", () => null);
    host.http.use("app", async (request, next) => {
      said.push(request.path);
      const reply = await next(request);
      return loud.of(request.endpoint) === true ? new Response("LOUD") : reply;
    });
    return {
      said: () => said,
      echo: (path, reply, options) => addEcho(host, path, reply as never, options),
    };
  },
};

class EchoApp extends App.with(echo) {}
const EchoBlueprint = Blueprint.with(echo);

const get = async (app: App, path: string) => {
  const reply = await app.fetch(new Request(`http://host.test${path}`));
  return [reply.status, await reply.text()];
};

test("a feature's route method on a blueprint adds its routes under the prefix, parameters included", async () => {
  const orgs = new EchoBlueprint("/orgs/{org}");
  orgs.echo("/users/{id}", ({ params, app }) => [params.org, params.id, app.said().length]);
  const app = new EchoApp().registerBlueprint(orgs);
  expect(await get(app, "/orgs/acme/users/7/echo")).toEqual([200, '["acme","7",1]']);
  expect((await get(app, "/users/7/echo"))[0]).toBe(404);
});

test("a route that a feature's method adds gets the tags, middleware and guards of all its blueprints, outermost first", async () => {
  const order: string[] = [];
  const note = (name: string) => () => void order.push(name);
  const recording =
    (name: string): Middleware<HttpRequest, Response> =>
    (request, next) => {
      order.push(name);
      return next(request);
    };
  const inner = new EchoBlueprint("/inner", { tags: ["in", "out"], guards: [note("inner guard")] });
  inner.use(recording("inner")).echo("/x", () => "x", { guards: [note("own guard")] });
  const outer = new EchoBlueprint("/outer", { tags: ["out"], guards: [note("outer guard")] });
  const app = new EchoApp().registerBlueprint(outer.use(recording("outer")).registerBlueprint(inner));
  app.echo("/free", () => "free");
  expect(await get(app, "/outer/inner/x/echo")).toEqual([200, "x"]);
  expect(order).toEqual(["outer", "inner", "outer guard", "inner guard", "own guard"]);
  expect(app.routes).toMatchObject([
    { path: "/outer/inner/x/echo", tags: ["out", "in"], addedBy: "echo" },
    { path: "/free/echo", tags: [], guards: [] },
  ]);
});

test("a blueprint's guard rejects only requests to the blueprint's routes", async () => {
  const closed = new EchoBlueprint("/closed", { guards: [() => false] });
  closed.echo("/x", () => "x");
  const app = new EchoApp().registerBlueprint(closed);
  app.echo("/open", () => "open");
  expect((await get(app, "/closed/x/echo"))[0]).toBe(403);
  expect(await get(app, "/open/echo")).toEqual([200, "open"]);
});

test("each registration of a blueprint adds its own routes; later calls on the blueprint are ignored", async () => {
  const shared = new EchoBlueprint("/shared");
  shared.echo("/x", ({ app }) => app.said().join());
  const one = new EchoApp().registerBlueprint(shared);
  const two = new EchoApp()
    .registerBlueprint(shared)
    .registerBlueprint(new EchoBlueprint("/v2").registerBlueprint(shared));
  shared.echo("/late", () => "late");
  for (const [app, path] of [
    [one, "/shared/x/echo"],
    [two, "/v2/shared/x/echo"],
  ] as const)
    expect(await get(app, path)).toEqual([200, path]);
  expect((await get(two, "/shared/late/echo"))[0]).toBe(404);
});

test("routes of a composed blueprint accept the feature's options", async () => {
  const loud = new EchoBlueprint("/loud");
  loud.get("/a", { loud: true }, () => "a");
  expect(await get(new EchoApp().registerBlueprint(loud), "/loud/a")).toEqual([200, "LOUD"]);
});

test("an app without the feature reports each call at start, with its place and the remedy", async () => {
  const chat = new EchoBlueprint("/chat");
  chat.echo("/a", () => "a");
  chat.echo("/b", () => "b");
  const around: Blueprint = new Blueprint("/v1").registerBlueprint(chat as never);
  const start = new App().registerBlueprint(around).start();
  const call = String.raw`echo of the blueprint "/v1/chat" \(at .*blueprint-with\.test\.ts:\d+:\d+\)`;
  const remedy = 'this app has no feature "echo"; compose the app with it too: class MyApp extends App.with';
  await expect(start).rejects.toThrow(new RegExp(`${call}: ${remedy}[^]*${call}`));
});

test("mistakes in a route's options are reported at start, with the place of the call on the blueprint", async () => {
  const chat = new EchoBlueprint("/chat");
  chat.echo("/a", () => "a", { timeoutSecs: -1, injections: { missing: dependency("missing") } });
  const failure = async (app: App) =>
    app
      .registerBlueprint(chat as never)
      .start()
      .then(String, String);
  const place = /at (.*blueprint-with\.test\.ts:\d+:\d+)\)/.exec(await failure(new App()))?.[1];
  const message = await failure(new EchoApp());
  expect(message).toContain(`GET /chat/a/echo (at ${place ?? "nowhere"}): timeoutSecs`);
  expect(message).toContain("echoes of /a in the blueprint /chat → missing");
});

test("composing does not change the base class, and a repeated feature counts once", () => {
  class Mine extends Blueprint {}
  const composed = Mine.with(echo, echo) as unknown as typeof Mine; // its type has no `with`
  class Again extends composed.with({ name: "other", install: () => ({}) }) {}
  expect(composed.features).toEqual([echo]);
  expect(new Again("/x")).toBeInstanceOf(Mine);
  expect(new Again("/x")).toHaveProperty("echo");
  expect("echo" in new Mine("/x")).toBe(false);
});

test("two features with route methods of the same name throw at construction", () => {
  const twin: RouteFeature<EchoMethods, EchoRoutes> = { ...echo, name: "twin" };
  expect(() => new (Blueprint.with(echo, twin))("/x")).toThrow(
    "twin: blueprints already have a method named echo",
  );
});

test("a route added after a feature's route method threw is outside the blueprint", async () => {
  const failing: RouteFeature<EchoRoutes & { other(): void }, EchoRoutes> = {
    name: "failing",
    routeMethods: ["echo"],
    install: (host) => ({
      echo() {
        throw new Error("no");
      },
      other: () => void host.http.route("GET", "/other", () => "other"),
    }),
  };
  const chat = new (Blueprint.with(failing))("/chat");
  chat.echo("/a", () => "a");
  const app = new (App.with(failing))();
  expect(() => app.registerBlueprint(chat)).toThrow("no");
  app.other();
  expect(await get(app, "/other")).toEqual([200, "other"]);
});

test("options of a blueprint apply to its routes, its features' routes and inner blueprints, unless an inner one overrides them", async () => {
  const inner = new EchoBlueprint("/inner");
  inner.get("/kept", () => "kept");
  inner.get("/replaced", { loud: false }, () => "replaced");
  const softer = new EchoBlueprint("/softer", { loud: false });
  softer.get("/quiet", () => "quiet");
  const outer = new EchoBlueprint("/outer", { loud: true, tags: ["a"] });
  outer.get("/own", { summary: "Own" }, () => "own");
  outer.echo("/said", () => "said");
  outer.registerBlueprint(inner).registerBlueprint(softer);
  const app = new EchoApp().registerBlueprint(outer);
  app.get("/outside", () => "outside");
  expect(await get(app, "/outer/own")).toEqual([200, "LOUD"]);
  expect(await get(app, "/outer/said/echo")).toEqual([200, "LOUD"]);
  expect(await get(app, "/outer/inner/kept")).toEqual([200, "LOUD"]);
  expect(await get(app, "/outer/inner/replaced")).toEqual([200, "replaced"]);
  expect(await get(app, "/outer/softer/quiet")).toEqual([200, "quiet"]);
  expect(await get(app, "/outside")).toEqual([200, "outside"]);
  expect(app.routes[0]?.options).toEqual({ loud: true, summary: "Own" });
});

test("start rejects an unknown option of a blueprint and names its route", async () => {
  const group = new Blueprint("/group", { colour: "red" } as object);
  group.get("/a", () => 1);
  const app = new App().registerBlueprint(group);
  await expect(app.start()).rejects.toThrow("GET /group/a");
});

test("an option of a route that is undefined does not remove the option of its blueprint", () => {
  const group = new (Blueprint.with(echo))("/group", { loud: true });
  const options: object = { loud: undefined };
  group.get("/a", options, () => 1);
  const inner = new (Blueprint.with(echo))("/inner", options);
  inner.get("/b", () => 2);
  group.registerBlueprint(inner);
  const app = new (App.with(echo))().registerBlueprint(group);
  expect(app.routes.map((route) => route.options)).toEqual([{ loud: true }, { loud: true }]);
});
