import { createRouters } from "../router/routers.ts";
import { freshTexts } from "./inputs.ts";
import { type Case, defineCase, type Suite } from "./measure.ts";

/** Paths to look up, by case; each case cycles through its paths. */
const lookups: Readonly<Record<string, readonly string[]>> = {
  static: ["/health", "/api/v1/books", "/metrics", "/api/v1/search/orders"],
  param: ["/books/42", "/api/v1/users/7", "/orgs/acme", "/api/v1/orders/2026-0042"],
  deep: [
    "/orgs/acme/teams/core/members/ada/roles/owner",
    "/orgs/globex/teams/web/members/grace/roles/admin",
    "/orgs/acme/teams/core/members/ada",
    "/api/v1/invoices/881/comments",
  ],
  wildcard: ["/static/app.js", "/static/css/site/main.css", "/static/img/a/b/c/logo.svg", "/static/x"],
  miss: ["/api/v1/nothing/here", "/favicon.ico", "/orgs/acme/teams/core/x/y", "/api/v2/books/1"],
};

const routers = createRouters();

const checkPath = (path: string): string => {
  const results = Object.entries(routers).map(([name, lookup]) => [name, lookup(path).route] as const);
  const [[, first] = ["", -1]] = results;
  const other = results.find(([, route]) => route !== first);
  if (other !== undefined) throw new Error(`${path}: ours finds route ${first}, ${other[0]} ${other[1]}`);
  return path;
};

const routerCase = (name: string, paths: readonly string[]): Case =>
  defineCase({ name, inputs: freshTexts(...paths.map(checkPath)), implementations: routers });

/** One lookup among the 51 routes of a medium-sized service. */
export const router: Suite = {
  title: "Router, 51 routes",
  reference: "ours",
  cases: Object.entries(lookups).map(([name, paths]) => routerCase(name, paths)),
};
