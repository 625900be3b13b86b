import { App, Blueprint, Depends, dependency, type HttpRequest } from "../index.ts";
import type { RouteOptions, StandardSchema } from "../index.ts";

declare const PageQuery: StandardSchema<unknown, { readonly page: number }>;
const Db = dependency<{ count(): number }>("db");
const app = new App();

// A default argument has the type of its dependency, with and without options.
app.get("/a/{id}", ({ params }, db = Depends(Db)) => params.id + db.count().toFixed());
app.get("/b/{id}", { query: PageQuery }, ({ params, input }, db = Depends(Db)) => [
  params.id.length + input.query.page + db.count(),
]);
app.post("/c", { tags: [] }, async (_request, db = Depends(Db), limit = Depends<number>("limit")) =>
  Math.min(limit, db.count()),
);
app.route("/d", { methods: ["GET"] }, (_request, db = Depends(Db)) => db.count() satisfies number);
new Blueprint("/e").get("/f", { tags: [] }, (_request, db = Depends(Db)) => db.count() satisfies number);
// The same in addition to `inject`.
app.get("/g", { inject: { books: Db } }, (_request, { books }, db = Depends(Db)) => [
  books.count() + db.count(),
]);
app.get("/h", { inject: {} }, (_request, _none, db = Depends(Db)) => db.count() satisfies number);

// @ts-expect-error the dependency has no such method
app.get("/i", { tags: [] }, (_request, db = Depends(Db)) => db.close());
// @ts-expect-error authors is not injected
app.get("/j", { inject: { books: Db } }, (_request, { authors }) => authors);
// @ts-expect-error books has another type
app.get("/k", { inject: { books: Db } }, (_request, { books }: { books: string }) => books);
// @ts-expect-error an argument without inject
app.get("/l", { tags: [] }, (_request: HttpRequest, count: number) => count);

// `Parameters` of a method are the parameters of its overload with options.
export const parameters: Parameters<App["get"]> = ["/m", { tags: [] }, () => 1];

// Options of type RouteOptions may have inject or not.
export const withOptions = (
  path: string,
  options: RouteOptions,
  handler: (r: HttpRequest) => string,
): void => {
  app.get(path, options, handler);
  app.get(path, options, (request) => request.path);
  app.get(path, { ...options, query: PageQuery }, ({ input }) => input.query.page satisfies number);
  app.route(path, { ...options, methods: ["GET"] }, (request) => request.path);
  app.get(path, options, (_request, dependencies) => dependencies?.["db"]);
  // @ts-expect-error there may be no dependencies
  app.get(path, options, (_request, dependencies) => dependencies.db);
  // @ts-expect-error there may be injected dependencies as the second argument
  app.get(path, options, (_request, db = Depends(Db)) => db.count());
};
