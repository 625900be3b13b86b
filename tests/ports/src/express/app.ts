import express, { type Express, type NextFunction, type Request, type Response } from "express";
import { z, ZodError } from "zod";
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

/** The books service in Express. */
export const createApp = (apiKey: string): Express => {
  const books = new BookStore();
  const app = express();

  const requireKey = (request: Request, response: Response, next: NextFunction) => {
    if (request.get("x-api-key") === apiKey) return next();
    response.status(401).json({ error: "Unauthorized" });
  };

  app.get("/health", (_request, response) => {
    response.json({ status: "ok" });
  });

  app.get("/books", (request, response) => {
    response.json(books.list(Page.parse(request.query)));
  });

  app.get("/books/:id", (request, response) => {
    const { id } = Id.parse(request.params);
    const book = books.find(id);
    if (book === undefined) response.status(404).json({ error: "Book not found" });
    else response.json(book);
  });

  app.post("/books", requireKey, express.json(), (request, response) => {
    const book = books.add(NewBook.parse(request.body));
    if (book === undefined) response.status(409).json({ error: "The book exists already" });
    else response.status(201).location(`/books/${book.id}`).json(book);
  });

  app.use((_request, response) => {
    response.status(404).json({ error: "Not found" });
  });

  app.use((error: unknown, _request: Request, response: Response, _next: NextFunction) => {
    if (error instanceof ZodError) {
      const fields = error.issues.map(({ path }) => String(path[0]));
      response.status(400).json({ error: "Invalid input", fields });
    } else if (error instanceof SyntaxError) {
      response.status(400).json({ error: "Invalid input", fields: ["body"] });
    } else {
      console.error(error);
      response.status(500).json({ error: "Internal server error" });
    }
  });

  return app;
};
