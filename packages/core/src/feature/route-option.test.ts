import { expect, test } from "@jest/globals";
import { App, Blueprint, ConfigurationError, ForbiddenError, Response } from "../index.ts";
import type { AddsRouteOptions, Feature } from "../feature.ts";

/** A third-party option for routes of several tenants, written only with `@framework/core/feature`. */
interface TenancyRouteOptions {
  /** Tenants that may call; `false` for all. */
  readonly tenants?: readonly string[] | false;
}
interface Tenancy extends AddsRouteOptions<TenancyRouteOptions> {
  enableTenancy(known: readonly string[]): this;
}
const tenancy: Feature<Tenancy> = {
  name: "tenancy",
  install: (host) => {
    let known: readonly string[] = [];
    const tenants = host.http.routeOption("tenants", (value, { path }) => {
      const unknown = value === false ? undefined : value.find((tenant) => !known.includes(tenant));
      return unknown === undefined ? null : `${path} is for ${unknown}, which is not known`;
    });
    return {
      enableTenancy(names) {
        known = names;
        host.http.use("app", (request, next) => {
          const allowed = tenants.of(request.endpoint) ?? false;
          if (allowed === false || allowed.includes(request.getHeader("x-tenant") ?? ""))
            return next(request);
          return host.http.replyTo(new ForbiddenError("Not for this tenant"), request);
        });
        return this;
      },
    };
  },
};

const newApp = () => new (App.with(tenancy))();

const problemsOf = async (app: App): Promise<readonly string[]> => {
  const error: unknown = await app.start().catch((thrown: unknown) => thrown);
  if (!(error instanceof ConfigurationError)) return [];
  return error.problems.map(({ message }) => message.replace(/\(at .*?\)/, "(at)"));
};

const statusFor = async (app: App, path: string, tenant = "unknown"): Promise<number> =>
  (await app.fetch(new Request(`http://host.test${path}`, { headers: { "x-tenant": tenant } }))).status;

test("a route distinguishes its own options from options of its blueprints, and so does the check of an option", async () => {
  const seen: unknown[] = [];
  const spy: Feature<AddsRouteOptions<TenancyRouteOptions>> = {
    name: "spy",
    install: (host) => {
      host.http.routeOption("tenants", (_value, { path, ownOptions }) => {
        seen.push([path, ownOptions]);
        return null;
      });
      return {};
    },
  };
  const outer = new (Blueprint.with(spy))("/outer", { tenants: ["north"] });
  const inner = new (Blueprint.with(spy))("/inner", { tenants: ["south"] });
  inner.post("/x", { tenants: false, maxBodyBytes: 20 }, () => "x");
  inner.get("/y", () => "y");
  outer.registerBlueprint(inner);
  const app = new (App.with(spy))().registerBlueprint(outer);
  expect(app.routes.map(({ options, ownOptions }) => [options, ownOptions])).toEqual([
    [
      { tenants: false, maxBodyBytes: 20 },
      { tenants: false, maxBodyBytes: 20 },
    ],
    [{ tenants: ["south"] }, {}],
  ]);
  await app.start();
  expect(seen).toEqual([
    ["/outer/inner/x", { tenants: false, maxBodyBytes: 20 }],
    ["/outer/inner/y", {}],
  ]);
  await app.stop();
});

test("a feature reads its option on routes, in blueprints and on unmatched paths", async () => {
  const app = newApp().enableTenancy(["north", "south"]);
  app.get("/north", { tenants: ["north"] }, () => 1);
  app.get("/open", { tenants: false }, () => 1);
  app.get("/silent", () => 1);
  const group: Blueprint<"/group", typeof app> = new Blueprint("/group");
  group.get("/south", { tenants: ["south"] }, () => 1);
  app.registerBlueprint(group);
  expect(await statusFor(app, "/north", "north")).toBe(200);
  expect(await statusFor(app, "/north", "south")).toBe(403);
  expect(await statusFor(app, "/group/south", "south")).toBe(200);
  expect(await statusFor(app, "/group/south", "north")).toBe(403);
  expect(await statusFor(app, "/open")).toBe(200);
  expect(await statusFor(app, "/silent")).toBe(200);
  expect(await statusFor(app, "/nowhere")).toBe(404);
});

test("an option of a disabled feature is a start error that names the enable method, unless it is false", async () => {
  const app = newApp();
  app.get("/a", { tenants: ["north"] }, () => 1);
  app.get("/b", { tenants: false }, () => 1);
  expect(await problemsOf(app)).toEqual([
    'GET /a (at): the option "tenants" does nothing without enableTenancy; call it, or remove the option',
  ]);
});

test("the feature checks each value at start with its own configuration, and all mistakes are reported together", async () => {
  const app = newApp().enableTenancy(["north"]);
  app.get("/a", { tenants: ["north", "west"], timeoutSecs: -1 }, () => 1);
  app.route("/b", { tenants: ["east"], methods: ["PUT"], timeoutSecs: 2_500_000 }, () => 1);
  expect(await problemsOf(app)).toEqual([
    "GET /a (at): timeoutSecs must be a number from 0 to 86400",
    "GET /a (at): tenants: /a is for west, which is not known",
    "PUT /b (at): timeoutSecs must be a number from 0 to 86400",
    "PUT /b (at): tenants: /b is for east, which is not known",
  ]);
});

test("the error for a misspelt option suggests the nearest option of core or of any feature, enabled or not", async () => {
  const app = newApp();
  app.get("/a", { tennants: ["north"] } as never, () => 1);
  app.get("/b", { bodyy: 1 } as never, () => 1);
  expect(await problemsOf(app)).toEqual([
    'GET /a (at): there is no option "tennants"; did you mean "tenants"?',
    'GET /b (at): there is no option "bodyy"; did you mean "body"?',
  ]);
});

test("an option of a feature that the app does not have is a start error, even when it is false", async () => {
  const app = new App();
  app.get("/a", { tenants: false } as never, () => 1);
  expect(await problemsOf(app)).toEqual([
    'GET /a (at): no feature of this app has the option "tenants"; add the feature to App.with, or remove the option',
  ]);
});

test("an option of a feature without enable methods is always enabled", async () => {
  const always: Feature<AddsRouteOptions<{ readonly loud?: boolean }>> = {
    name: "always",
    install: (host) => {
      const loud = host.http.routeOption("loud", (value) =>
        typeof value === "boolean" ? null : "must be true or false",
      );
      host.http.use("app", (request, next) =>
        loud.of(request.endpoint) === true ? new Response("LOUD") : next(request),
      );
      return {};
    },
  };
  const app = new (App.with(always))();
  app.get("/a", { loud: true }, () => "quiet");
  const reply = await app.fetch(new Request("http://host.test/a"));
  expect(await reply.text()).toBe("LOUD");
  const wrong = new (App.with(always))();
  wrong.get("/a", { loud: "yes" } as never, () => "quiet");
  expect(await problemsOf(wrong)).toEqual(["GET /a (at): loud: must be true or false"]);
});

test.each(["tags", "methods", "tenants"])(
  "a feature cannot declare the option %s, which is taken",
  (name) => {
    const twin: Feature<AddsRouteOptions<Record<string, unknown>>> = {
      name: "twin",
      install: (host) => {
        host.http.routeOption(name, () => null);
        return {};
      },
    };
    expect(() => new (App.with(tenancy, twin))()).toThrow(
      expect.objectContaining({
        code: "CORE_OPTION_TAKEN",
        message: `twin: routes already have an option named ${name}`,
      }),
    );
  },
);

test("an option cannot be declared after start", async () => {
  let declare = (): unknown => null;
  const late: Feature<AddsRouteOptions<{ readonly late?: boolean }>> = {
    name: "late",
    install: (host) => {
      declare = () => host.http.routeOption("late", () => null);
      return {};
    },
  };
  await new (App.with(late))().start();
  expect(declare).toThrow(expect.objectContaining({ code: "CORE_ALREADY_STARTED" }));
});
