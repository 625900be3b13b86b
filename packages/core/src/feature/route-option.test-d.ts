import { App, Blueprint, type RouteOptions, type RouteOptionsOf, type StandardSchema } from "../index.ts";
import type { AddsRouteOptions, Feature, Host } from "../feature.ts";

interface TenancyRouteOptions {
  readonly tenant?: "one" | "many" | false;
  readonly audit?: { readonly level: number };
}
interface Tenancy extends AddsRouteOptions<TenancyRouteOptions> {
  enableTenancy(): this;
}
const acceptHost = (host: Host): void => void host;
const tenancy: Feature<Tenancy> = {
  name: "tenancy",
  install: (host) => {
    acceptHost(host); // the host of every feature is a Host
    const tenant = host.http.routeOption("tenant", (value, { path }) => {
      value satisfies "one" | "many" | false;
      return path satisfies string;
    });
    // @ts-expect-error an option that the feature does not own
    host.http.routeOption("tenat", () => null);
    host.http.use("app", (request, next) => {
      tenant.of(request.endpoint) satisfies "one" | "many" | false | undefined;
      // @ts-expect-error the value is read with its type
      tenant.of(request.endpoint) satisfies string | undefined;
      return next(request);
    });
    for (const route of host.http.routes()) tenant.of(route) satisfies string | false | undefined;
    return {
      enableTenancy() {
        return this;
      },
    };
  },
};
interface Weighing extends AddsRouteOptions<{ readonly weight?: number }> {
  enableWeighing(): this;
}
const weighing: Feature<Weighing> = {
  name: "weighing",
  install: () => ({
    enableWeighing() {
      return this;
    },
  }),
};
const plain: Feature<{ enablePlain(): void }> = {
  name: "plain",
  install: (host) => {
    // @ts-expect-error the feature owns no option
    host.http.routeOption("plain", () => null);
    return { enablePlain() {} };
  },
};
const needy: Feature<{ enableNeedy(): void }, Tenancy> = {
  name: "needy",
  install: () => ({ enableNeedy() {} }),
};

declare const Page: StandardSchema<unknown, { readonly page: number }>;
class Both extends App.with(tenancy, weighing, plain, needy) {
  declare readonly state: { readonly title: string };
}
class One extends App.with(tenancy) {}
class Two extends One.with(weighing) {}
class None extends App.with(plain) {}
const both = new Both();

// Options of features are accepted together with options of core; schemas and paths stay inferred.
both.get("/a/{id}", { tenant: "one", weight: 3, query: Page, tags: ["a"] }, (request) => [
  request.input.query.page satisfies number,
  request.params.id satisfies string,
]);
both.route("/a", { tenant: false, methods: ["PUT"] }, () => 1);
new Two().post("/a", { tenant: "many", weight: 3 }, () => 1);
new (App.with(tenancy))().enableTenancy().get("/a", { audit: { level: 1 } }, () => 1);

// @ts-expect-error a misspelt option of a feature
both.get("/a", { tennant: "one" }, () => 1);

// @ts-expect-error a misspelt option of core
both.get("/a", { tgs: ["a"] }, () => 1);

// @ts-expect-error a misspelt field of an option
both.get("/a", { audit: { leve: 1 } }, () => 1);

// @ts-expect-error a value that the feature does not accept
both.get("/a", { tenant: "three" }, () => 1);

// @ts-expect-error an option of a feature that is not composed
new App().get("/a", { tenant: "one" }, () => 1);

// @ts-expect-error a composed feature without options does not change that
new None().get("/a", { tenant: "one" }, () => 1);

// @ts-expect-error nor does a feature with other options
new One().get("/a", { weight: 1 }, () => 1);

// @ts-expect-error nor in `route`
new One().route("/a", { weight: 1, methods: ["PUT"] }, () => 1);

// @ts-expect-error the feature needs the methods of tenancy
App.with(needy);

// A blueprint names the app that it is for, or the features that it needs.
const books: Blueprint<"/books", Both> = new Blueprint("/books", { tags: ["books"] });
books.get("/{id}", { tenant: "many", weight: 3 }, ({ app, params }) => [
  app.state.title satisfies string,
  params.id satisfies string,
]);
// @ts-expect-error a misspelt option
books.get("/{id}", { tenat: "many" }, () => 1);
const tenants: Blueprint<"/tenants", App & Tenancy> = new Blueprint("/tenants");
tenants.get("/", { tenant: "one" }, ({ app }) => void app.enableTenancy());
// @ts-expect-error an option of a feature that the blueprint's type does not name
tenants.get("/", { weight: 1 }, () => 1);

both.registerBlueprint(books).registerBlueprint(tenants).registerBlueprint(new Blueprint("/c"));
new Two().registerBlueprint(books);
new One().registerBlueprint(tenants);
new App().registerBlueprint(new Blueprint("/c"));
books.registerBlueprint(tenants).registerBlueprint(new Blueprint("/c"));

// @ts-expect-error the app lacks a feature
new One().registerBlueprint(books);

// @ts-expect-error the app lacks the feature
new App().registerBlueprint(tenants);

// @ts-expect-error the outer blueprint lacks a feature
tenants.registerBlueprint(books);

// Functions can pass options on.
const options: RouteOptions & RouteOptionsOf<Both> = { tenant: "one", weight: 1, summary: "A" };
both.get("/b", options, () => 1);

// A composed app is an App.
const app: App = both;
void app;
