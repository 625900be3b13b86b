import { ApiKeyAuth } from "@framework/auth";
import { App, Blueprint, HttpError, Response, ValidationError, ValueError } from "@framework/core";
import { healthChecks } from "@framework/health";
import { z } from "zod";
import { BookStore } from "../book-store.ts";

const Page = z.object({
  page: z.coerce.number().int().min(1).default(1),
  size: z.coerce.number().int().min(1).max(100).default(20),
});
const Id = z.object({ id: z.coerce.number().int() });
const NewBook = z.object({
  title: z.string().min(1),
  author: z.string().default("Unknown"),
  year: z.int().min(0).nullable().default(null),
});

/** The books service in this framework. */
export const createApp = (apiKey: string): App => {
  const books = new BookStore();
  const app = new (App.with(healthChecks))().enableHealthChecks();

  app.get("/books", { query: Page }, ({ input }) => books.list(input.query));

  app.get("/books/{id}", { params: Id }, ({ input }) => {
    const book = books.find(input.params.id);
    if (book === undefined) throw new HttpError(404, "Book not found");
    return book;
  });

  const writing = new Blueprint("/books").use(new ApiKeyAuth({ [apiKey]: "editor" }));
  writing.post("", { body: NewBook }, ({ input }) => {
    const book = books.add(input.body);
    if (book === undefined) throw new HttpError(409, "The book exists already");
    return Response.created(book, `/books/${book.id}`);
  });

  return app
    .registerBlueprint(writing)
    .exceptionHandler(ValidationError, (_request, { issues }) =>
      Response.json(
        { error: "Invalid input", fields: issues.map(({ loc }) => String(loc[1])) },
        { status: 400 },
      ),
    )
    .exceptionHandler(ValueError, () => ({ error: "Invalid input", fields: ["body"] }))
    .exceptionHandler(HttpError, ({ route }, { status, detail }) => ({
      error: status === 401 ? "Unauthorized" : route === null ? "Not found" : detail,
    }));
};
