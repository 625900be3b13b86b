import { Blueprint, type Middleware, type HttpRequest, Response, toInt } from "@framework/core";
import {
  type Book,
  BookChanges,
  BookError,
  BookList,
  BooksQuery,
  Book as BookSchema,
  DeletedBook,
  MAX_PAGE,
  NewBook,
} from "./book.ts";
import type { BooksApp } from "../books-app.ts";
import type { BookStore } from "./book-store.ts";

/** Says what happened to a book, once it has; a reply waits for it. */
export type Announce = (event: BookEvent) => Promise<void>;

/** A change of the books, as followers of the feed see it. */
export type BookEvent =
  | { readonly event: "added" | "changed"; readonly book: Book }
  | { readonly event: "deleted"; readonly id: number };

/** The service drops what it keeps when a book changes; what a browser keeps it cannot drop, so browsers ask each time. */
const freshness = { "cache-control": "max-age=0, s-maxage=10" };

/** Routes that take the options of every feature of the application. */
type BookRoutes = Blueprint<"/books", BooksApp>;

/** The reading half of the books table of the interface, over any store. */
export const readingRoutes = (books: BookStore): BookRoutes => {
  const routes: BookRoutes = new Blueprint("/books", { tags: ["books"] });

  routes.get(
    "",
    {
      summary: "List books",
      description: `In the order of their ids, ${MAX_PAGE} at most; where there are more, \`Link\` names the next page.`,
      query: BooksQuery,
      responses: { 200: BookList },
      cache: { tags: ["books"] },
    },
    async ({ input: { query }, url }) => {
      const { genre = null, after = 0, limit = MAX_PAGE } = query;
      const found = await books.list({ genre, after, limit: limit + 1 });
      const page = found.slice(0, limit);
      const link = found.length > limit ? { link: nextPage(url, page) } : {};
      return Response.json({ books: page, total: page.length }, { headers: { ...freshness, ...link } });
    },
  );

  routes.get(
    "/{id}",
    { summary: "Get a book", responses: { 200: BookSchema, 404: BookError }, cache: { tags: ["books"] } },
    async (request) => {
      const id = toInt(request.params.id, "id");
      const book = await books.get(id);
      return book === null ? notFound({ id }) : Response.json(book, { headers: freshness });
    },
  );

  return routes;
};

/** The writing routes, all guarded by `protection`. */
export const writingRoutes = (
  books: BookStore,
  announce: Announce,
  protection: readonly Protection[] = [],
): BookRoutes => {
  const routes: BookRoutes = new Blueprint("/books", { tags: ["books"] });
  for (const middleware of protection) routes.use(middleware);

  routes.post(
    "",
    { summary: "Add a book", body: NewBook, responses: { 201: BookSchema, 400: BookError } },
    async (request) => {
      const book = await books.add(request.input.body);
      await announce({ event: "added", book });
      return Response.json(book, { status: 201 });
    },
  );

  routes.put(
    "/{id}",
    { summary: "Change a book", body: BookChanges, responses: { 200: BookSchema, 404: BookError } },
    async (request): Promise<Book | Response> => {
      const book = await books.change(toInt(request.params.id, "id"), request.input.body);
      if (book === null) return notFound();
      await announce({ event: "changed", book });
      return book;
    },
  );

  routes.delete(
    "/{id}",
    { summary: "Delete a book", responses: { 200: DeletedBook, 404: BookError } },
    async (request) => {
      const id = toInt(request.params.id, "id");
      if (!(await books.remove(id))) return notFound();
      await announce({ event: "deleted", id });
      return { deleted: true, id };
    },
  );

  return routes;
};

/** Middleware, or an object that is one, such as the authentication of `@framework/auth`. */
export type Protection = Parameters<Blueprint["use"]>[0] | Middleware<HttpRequest, Response>;

/** A web link (RFC 8288) to the books behind a page. */
const nextPage = (url: string | URL, page: readonly Book[]): string => {
  const next = new URL(url);
  next.searchParams.set("after", String(page.at(-1)?.id ?? 0));
  return `<${next.pathname}${next.search}>; rel="next"`;
};

const notFound = (extras: { id?: number } = {}): Response =>
  Response.json({ error: "Book not found", ...extras }, { status: 404 });
