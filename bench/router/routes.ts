/**
 * The 51 routes of a medium-sized REST service, in `{name}` notation.
 *
 * No static segment is a sibling of a parameter (`/books/new`, `/books/{id}`): hono's RegExp router does not support that.
 */
export const routes: readonly (readonly [method: string, path: string])[] = [
  ["GET", "/"],
  ["GET", "/health"],
  ["GET", "/health/live"],
  ["GET", "/health/ready"],
  ["GET", "/metrics"],
  ["GET", "/openapi.json"],
  ["GET", "/static/{*file}"],
  ...["books", "authors", "users", "orders", "invoices"].flatMap(
    (name) =>
      [
        ["GET", `/api/v1/${name}`],
        ["POST", `/api/v1/${name}`],
        ["GET", `/api/v1/${name}/{id}`],
        ["PUT", `/api/v1/${name}/{id}`],
        ["DELETE", `/api/v1/${name}/{id}`],
        ["GET", `/api/v1/search/${name}`],
        ["GET", `/api/v1/${name}/{id}/comments`],
      ] as const,
  ),
  ["GET", "/books/{id}"],
  ["POST", "/auth/login"],
  ["POST", "/auth/logout"],
  ["POST", "/auth/refresh"],
  ["GET", "/orgs/{org}/teams/{team}/members/{member}/roles/{role}"],
  ["GET", "/orgs/{org}/teams/{team}/members/{member}"],
  ["GET", "/orgs/{org}/teams/{team}"],
  ["GET", "/orgs/{org}/teams"],
  ["GET", "/orgs/{org}"],
];

/** Paths to look up, by case; each case cycles through its paths. */
export const cases: Readonly<Record<string, readonly string[]>> = {
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
