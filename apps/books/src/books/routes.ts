import { Blueprint, type HttpMiddleware, Response, toInt } from "@framework/core";
import {
  type Book,
  BookChanges,
  BookError,
  BookList,
  BooksQuery,
  Book as BookSchema,
  DeletedBook,
  NewBook,
} from "./book.ts";
import type { BooksApp } from "../books-app.ts";
import { MAX_PAGE } from "../fields.ts";
import type { Publish } from "./book-events.ts";
import type { BookStore, OnRemove } from "./book-store.ts";

/** Announces a stored change of a book; the reply is sent after the announcement. */
export type Announce = (event: BookEvent) => Promise<void>;

/** Dependencies of `writingRoutes`. */
export interface WritingRoutesOptions {
  readonly announce: Announce;
  /** Publishes a change in the transaction that makes it. */
  readonly publish: Publish;
  /** Middleware of the routes, such as authentication. */
  readonly protection: readonly HttpMiddleware[];
  /** Called in the transaction that removes a book; throws if the book may not be removed. */
  readonly checkRemoval: OnRemove;
}

/** A change of a book, as sent to the feed. */
export type BookEvent =
  | { readonly event: "added" | "changed"; readonly book: Book }
  | { readonly event: "deleted"; readonly id: number };

/** The service can invalidate its own cache after a change, but not the cache of a browser, so browsers must revalidate. */
const freshness = { "cache-control": "max-age=0, s-maxage=10" };

/** A blueprint with the route options of all features of the app. */
type BookRoutes = Blueprint<"/books", BooksApp>;

/** The public routes that read. */
export const readingRoutes = (books: BookStore): BookRoutes => {
  const routes: BookRoutes = new Blueprint("/books", { tags: ["books"] });

  routes.get(
    "",
    {
      summary: "List books",
      description: `Ordered by id, at most ${MAX_PAGE}, with the total number. If there are more, \`Link\` has the URL of the next page.`,
      query: BooksQuery,
      responses: { 200: BookList },
      cache: { tags: ["books"] },
    },
    async ({ input: { query }, url }) => {
      const { genre = null, after = 0, limit = MAX_PAGE } = query;
      const found = await books.list({ genre, after, limit: limit + 1 });
      const page = found.slice(0, limit);
      const link = found.length > limit ? { link: nextPage(url, page) } : {};
      const isWhole = after === 0 && found.length <= limit;
      const total = isWhole ? page.length : await books.count({ genre });
      return Response.json({ books: page, total }, { headers: { ...freshness, ...link } });
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

/** The routes that write. */
export const writingRoutes = (
  books: BookStore,
  { announce, publish, protection, checkRemoval }: WritingRoutesOptions,
): BookRoutes => {
  const routes: BookRoutes = new Blueprint("/books", { tags: ["books"] });
  for (const middleware of protection) routes.use(middleware);

  routes.post(
    "",
    { summary: "Add a book", body: NewBook, responses: { 201: BookSchema, 400: BookError } },
    async (request) => {
      const book = await books.add(request.input.body, publish.created);
      await announce({ event: "added", book });
      return Response.json(book, { status: 201 });
    },
  );

  routes.put(
    "/{id}",
    { summary: "Change a book", body: BookChanges, responses: { 200: BookSchema, 404: BookError } },
    async (request): Promise<Book | Response> => {
      const book = await books.change(toInt(request.params.id, "id"), request.input.body, publish.changed);
      if (book === null) return notFound();
      await announce({ event: "changed", book });
      return book;
    },
  );

  routes.delete(
    "/{id}",
    {
      summary: "Delete a book",
      description: "A book on loan cannot be deleted: 409.",
      responses: { 200: DeletedBook, 404: BookError },
      errors: [409],
    },
    async (request) => {
      const id = toInt(request.params.id, "id");
      const isRemoved = await books.remove(id, async (tx) => {
        await checkRemoval(tx, id);
        await publish.deleted(tx, id);
      });
      if (!isRemoved) return notFound();
      await announce({ event: "deleted", id });
      return { deleted: true, id };
    },
  );

  return routes;
};

/** A web link (RFC 8288) to the next page. */
const nextPage = (url: string | URL, page: readonly Book[]): string => {
  const next = new URL(url);
  next.searchParams.set("after", String(page.at(-1)?.id ?? 0));
  return `<${next.pathname}${next.search}>; rel="next"`;
};

const notFound = (extras: { id?: number } = {}): Response =>
  Response.json({ error: "Book not found", ...extras }, { status: 404 });
