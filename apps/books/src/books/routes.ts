import { Blueprint, Response, toInt } from "@framework/core";
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
import type { BookStore } from "./book-store.ts";

/** The books table of the interface, over any store. */
export const bookRoutes = (books: BookStore): Blueprint<"/books"> => {
  const routes = new Blueprint("/books", { tags: ["books"] });

  routes.get(
    "",
    { summary: "List books", query: BooksQuery, responses: { 200: BookList } },
    async (request) => {
      const found = await books.list(request.query.get("genre"));
      return { books: found, total: found.length };
    },
  );

  routes.get(
    "/{id}",
    { summary: "Get a book", responses: { 200: BookSchema, 404: BookError } },
    async (request) => {
      const id = toInt(request.params.id, "id");
      return (await books.get(id)) ?? notFound({ id });
    },
  );

  routes.post(
    "",
    { summary: "Add a book", body: NewBook, responses: { 201: BookSchema, 400: BookError } },
    async (request) => Response.json(await books.add(request.input.body), { status: 201 }),
  );

  routes.put(
    "/{id}",
    { summary: "Change a book", body: BookChanges, responses: { 200: BookSchema, 404: BookError } },
    async (request): Promise<Book | Response> => {
      const id = toInt(request.params.id, "id");
      return (await books.change(id, request.input.body)) ?? notFound();
    },
  );

  routes.delete(
    "/{id}",
    { summary: "Delete a book", responses: { 200: DeletedBook, 404: BookError } },
    async (request) => {
      const id = toInt(request.params.id, "id");
      return (await books.remove(id)) ? { deleted: true, id } : notFound();
    },
  );

  return routes;
};

const notFound = (extras: { id?: number } = {}): Response =>
  Response.json({ error: "Book not found", ...extras }, { status: 404 });
