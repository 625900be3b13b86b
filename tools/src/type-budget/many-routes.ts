const HEAD = `import { App, type StandardSchema } from "@framework/core";

declare const PageQuery: StandardSchema<unknown, { readonly page: number }>;
declare const NewBook: StandardSchema<unknown, { readonly title: string; readonly year: number | null }>;

const app = new App();
`;

const route = (index: number): string => {
  const path = `/shelf-${index}/{shelf}/books/{id}`;
  if (index % 3 === 0) {
    return `app.get("${path}", (request) => ({ id: request.params.id, shelf: request.params.shelf }));`;
  }
  return index % 3 === 1
    ? `app.get("${path}", { query: PageQuery }, (request) => ({ page: request.input.query.page + 1 }));`
    : `app.post("${path}", { body: NewBook }, (request) => ({ title: request.input.body.title.trim() }));`;
};

/** Returns a program with `count` routes of the three common kinds: plain, with a query schema, with a body schema. */
export const manyRoutes = (count: number): string =>
  `${HEAD}${Array.from({ length: count }, (_, index) => route(index)).join("\n")}\nexport { app, NewBook, PageQuery };\n`;

const COMPOSED_HEAD = `import { App, type StandardSchema } from "@framework/core";
import { circuitBreaker } from "@framework/breaker";
import { caching } from "@framework/cache";
import { compression } from "@framework/compression";
import { cors } from "@framework/cors";
import { etag } from "@framework/etag";
import { logging } from "@framework/logging";
import { openapi } from "@framework/openapi";
import { rateLimit } from "@framework/rate-limit";

declare const PageQuery: StandardSchema<unknown, { readonly page: number }>;
class BigApp extends App.with(cors, logging, etag, compression, rateLimit, caching, circuitBreaker, openapi) {}
const app = new BigApp();
`;

const composedRoute = (index: number): string =>
  index % 2 === 0
    ? `app.get("/shelf-${index}/{shelf}", (request) => ({ shelf: request.params.shelf }));`
    : `app.get("/shelf-${index}/{shelf}", { query: PageQuery, cache: { tags: ["a"] }, rateLimit: false, hidden: true },
  (request) => ({ page: request.input.query.page, shelf: request.params.shelf }));`;

const FULL_APP_HEAD = `import { type StandardSchema } from "@framework/core";
import { App } from "@framework/framework";

declare const PageQuery: StandardSchema<unknown, { readonly page: number }>;
const app = new App();
`;

/** Returns a program with the methods and route options of every feature, and `count` routes, half of them with options of features. */
export const manyFullAppRoutes = (count: number): string =>
  `${FULL_APP_HEAD}${Array.from({ length: count }, (_, index) => composedRoute(index)).join("\n")}\nexport { app, PageQuery };\n`;

/** Returns a program with the methods and route options of eight features, and `count` routes, half of them with options of features. */
export const manyComposedRoutes = (count: number): string =>
  `${COMPOSED_HEAD}${Array.from({ length: count }, (_, index) => composedRoute(index)).join("\n")}\nexport { app, PageQuery };\n`;
