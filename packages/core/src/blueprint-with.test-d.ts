import { App, Blueprint, type PathParams } from "./index.ts";
import type { AddsRouteOptions, AppOf, Feature, PrefixOf, RouteFeature } from "./feature.ts";

interface PingRoutes {
  ping<const P extends string>(
    path: P,
    reply: (params: PathParams<`${PrefixOf<this>}${P}`>, app: AppOf<this>) => string,
  ): void;
}
interface PingMethods extends PingRoutes {
  pings(): number;
}
const ping: RouteFeature<PingMethods, PingRoutes> = {
  name: "ping",
  routeMethods: ["ping"],
  install: () => ({ pings: () => 0, ping() {} }),
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
// @ts-expect-error PingRoutes has no method `pings`
const misnamed: RouteFeature<PingMethods, PingRoutes> = { ...ping, routeMethods: ["pings"] };
// @ts-expect-error every method of routes must be a method of the app too
const absent: RouteFeature<{ pings(): number }, PingRoutes> = { ...ping };
void [misnamed, absent];

class BothApp extends App.with(weighing, ping) {
  declare readonly state: { readonly title: string };
}

// The method knows the parameters of the path and of the blueprint's prefix; an app has no prefix.
new BothApp().ping("/a/{id}", ({ id }, app) => `${id}${app.state.title}${app.pings()}`);
const books = new (Blueprint.with(ping, weighing))("/orgs/{org}", { tags: ["books"] });
books.ping("/a/{id}", ({ id, org }, app) => `${id}${org}${app.pings()}`);
// @ts-expect-error neither the prefix nor the path has this parameter
books.ping("/a/{id}", ({ name }) => name);
books.get("/b/{id}", { weight: 1 }, ({ params, app }) => [params.org, params.id, app.pings()]);
// @ts-expect-error a misspelt option of a feature
books.get("/b", { wight: 1 }, () => 1);
// @ts-expect-error a blueprint has only the methods that register routes
books.pings();
// @ts-expect-error an option of a feature that the class does not name
new (Blueprint.with(ping))("/x").get("/b", { weight: 1 }, () => 1);
// @ts-expect-error a misspelt option of blueprints
new (Blueprint.with(ping))("/x", { tag: [] });
// Options of features are defaults of all routes.
new (Blueprint.with(weighing))("/x", { weight: 1, tags: ["x"] }).get("/b", () => 1);
// @ts-expect-error the option is a number
new (Blueprint.with(weighing))("/x", { weight: "1" });
// @ts-expect-error a default of a feature that the class does not name
new (Blueprint.with(ping))("/x", { weight: 1 });
new Blueprint<"/x", BothApp>("/x", { weight: 1 }).get("/b", () => 1);
books.prefix satisfies "/orgs/{org}";
// Chains keep the class.
books
  .use((request, next) => next(request))
  .addGuard(() => true)
  .ping("/c", () => "c");

// An app or an outer blueprint must have all features of the blueprint.
new BothApp().registerBlueprint(books);
new (Blueprint.with(weighing, ping))("/v1").registerBlueprint(books);
const named: Blueprint<"/v1", BothApp> = new Blueprint("/v1");
named.registerBlueprint(books);
// @ts-expect-error weighing is missing
new (App.with(ping))().registerBlueprint(books);
// @ts-expect-error ping is missing
new (App.with(weighing))().registerBlueprint(books);
// @ts-expect-error ping is missing
new (Blueprint.with(weighing))("/v1").registerBlueprint(books);
// @ts-expect-error both are missing
new Blueprint("/v1").registerBlueprint(books);

// A subclass of Blueprint that names the type of its app
class Pages extends Blueprint.with(ping)<"/pages/{page}", BothApp> {
  constructor() {
    super("/pages/{page}");
    this.ping("/{id}", ({ page, id }, app) => `${page}${id}${app.state.title}`);
  }
}
new BothApp().registerBlueprint(new Pages());
