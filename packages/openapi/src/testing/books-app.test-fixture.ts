import { App, Response, toInt } from "@framework/core";
import type { ConfigInput } from "@framework/core/feature";
import { z } from "zod";
import { openapi, type OpenapiConfig } from "../index.ts";

const Book = z
  .object({ id: z.int().positive(), title: z.string(), genre: z.string(), year: z.int().nullable() })
  .meta({ id: "Book" });
const NewBook = z.object({
  title: z.string().min(1).max(100),
  genre: z.string().default("General"),
  year: z.int().nullable().default(null),
});
const Missing = z.object({ error: z.string(), id: z.int().optional() });

/** A service with books in memory. */
export const booksApp = (config: ConfigInput<OpenapiConfig> = {}): App => {
  const books = new Map<number, z.infer<typeof Book>>();
  let lastId = 0;
  const app = new (App.with(openapi))().enableOpenapi(config);
  const tags = ["books"];
  const missing = (id: number) => Response.json({ error: "Book not found", id }, { status: 404 });

  app.get(
    "/books",
    {
      tags,
      query: z.object({
        genre: z.string().optional(),
        ids: z.union([z.string(), z.array(z.string())]).optional(),
      }),
      responses: { 200: z.object({ books: z.array(Book), total: z.int() }) },
    },
    ({ input }) => {
      const { genre } = input.query;
      const found = [...books.values()].filter((book) => genre === undefined || book.genre === genre);
      return { books: found, total: found.length };
    },
  );
  app.get("/books/{id}", { tags, responses: { 200: Book, 404: Missing } }, ({ params }) => {
    const id = toInt(params.id, "id");
    return books.get(id) ?? missing(id);
  });
  app.post("/books", { tags, body: NewBook, responses: { 201: Book } }, ({ input }) => {
    const book = { id: ++lastId, ...input.body };
    books.set(book.id, book);
    return Response.json(book, { status: 201 });
  });
  app.delete("/books/{id}", { tags, responses: { 204: z.null(), 404: Missing } }, ({ params }) => {
    const id = toInt(params.id, "id");
    return books.delete(id) ? null : missing(id);
  });
  return app;
};
