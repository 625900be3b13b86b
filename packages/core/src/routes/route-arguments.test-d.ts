import { App } from "../app.ts";
import { Blueprint } from "../blueprint.ts";
import type { HttpRequest } from "../request/http-request.ts";

class Middleware {
  handle(request: HttpRequest, next: (request: HttpRequest) => unknown): unknown {
    return next(request);
  }
}

const app = new App();
const blueprint = new Blueprint("/b");
const middleware = (request: HttpRequest, next: (request: HttpRequest) => unknown): unknown => next(request);
const isAdmin = (request: HttpRequest): boolean => request.headers.has("admin");
const handler = (): string => "secret";

app.get("/", { guards: [isAdmin] }, handler);
app.get("/", {}, handler);
app.route("/", { methods: ["GET"] }, handler);
new Blueprint("/c", { guards: [isAdmin] }).get("/", { tags: ["c"] }, handler);

// @ts-expect-error a middleware belongs in `use`
app.get("/", middleware, handler);
// @ts-expect-error the same for other methods
app.post("/", middleware, handler);
// @ts-expect-error a guard belongs in the option `guards`
app.get("/", isAdmin, handler);
// @ts-expect-error an arrow function is not an options object
app.get("/", () => false, handler);
// @ts-expect-error an async function is not an options object
app.delete("/", async () => false, handler);
// @ts-expect-error a number
app.get("/", 5, handler);
// @ts-expect-error a string
app.get("/", "admin", handler);
// @ts-expect-error a list of middleware
app.get("/", [middleware], handler);
// @ts-expect-error an object with handle
app.get("/", new Middleware(), handler);
// @ts-expect-error a class
app.get("/", Middleware, handler);
// @ts-expect-error a middleware for several methods
app.route("/", middleware, handler);
// @ts-expect-error a middleware of a route in a blueprint
blueprint.get("/", middleware, handler);
// @ts-expect-error a guard of a blueprint
new Blueprint("/b", () => false);
// @ts-expect-error a list of guards of a blueprint
new Blueprint("/b", [isAdmin]);
