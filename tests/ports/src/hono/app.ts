import { zValidator } from "@hono/zod-validator";
import { Hono } from "hono";
import { createMiddleware } from "hono/factory";
import { HTTPException } from "hono/http-exception";
import type { ValidationTargets } from "hono/types";
import { z, type ZodType } from "zod";
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

/** A validator whose errors have the common shape. */
const valid = <Target extends keyof ValidationTargets, Schema extends ZodType>(
  target: Target,
  schema: Schema,
) =>
  zValidator(target, schema, (result, context) => {
    if (result.success) return;
    const fields = result.error.issues.map(({ path }) => String(path[0]));
    return context.json({ error: "Invalid input", fields }, 400);
  });

const requireKey = (apiKey: string) =>
  createMiddleware(async (context, next) => {
    if (context.req.header("x-api-key") !== apiKey) return context.json({ error: "Unauthorized" }, 401);
    await next();
  });

/** The books service in Hono. */
export const createApp = (apiKey: string): Hono => {
  const books = new BookStore();
  const app = new Hono();

  app.get("/health", (context) => context.json({ status: "ok" }));

  app.get("/books", valid("query", Page), (context) => context.json(books.list(context.req.valid("query"))));

  app.get("/books/:id", valid("param", Id), (context) => {
    const book = books.find(context.req.valid("param").id);
    return book === undefined ? context.json({ error: "Book not found" }, 404) : context.json(book);
  });

  app.post("/books", requireKey(apiKey), valid("json", NewBook), (context) => {
    const book = books.add(context.req.valid("json"));
    if (book === undefined) return context.json({ error: "The book exists already" }, 409);
    return context.json(book, 201, { location: `/books/${book.id}` });
  });

  app.notFound((context) => context.json({ error: "Not found" }, 404));

  app.onError((error, context) => {
    if (error instanceof HTTPException && error.status === 400)
      return context.json({ error: "Invalid input", fields: ["body"] }, 400);
    console.error(error);
    return context.json({ error: "Internal server error" }, 500);
  });

  return app;
};
