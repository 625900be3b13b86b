import { Blueprint, NotFoundError, toInt } from "@framework/core";
import { z } from "zod";
import type { BooksApp } from "../books-app.ts";
import type { BookStore } from "./book-store.ts";

const BookOfVersionOne = z.object({ id: z.int(), name: z.string(), writer: z.string() });

/** Version 1 of the API, in which a book had a name and a writer. It is marked as deprecated in replies, in the document and by a metric. */
export const versionOne = (books: BookStore): Blueprint<"/v1", BooksApp> => {
  const routes: Blueprint<"/v1", BooksApp> = new Blueprint("/v1", {
    tags: ["version 1"],
    deprecated: "2026-11-01",
    sunset: "2027-11-01",
  });
  routes.get(
    "/books/{id}",
    {
      summary: "Get a book",
      responses: { 200: BookOfVersionOne },
      successor: "/books/{id}",
      cache: { tags: ["books"] },
    },
    async ({ params }) => {
      const book = await books.get(toInt(params.id, "id"));
      if (book === null) throw new NotFoundError("Book not found");
      return { id: book.id, name: book.title, writer: book.author };
    },
  );
  return routes;
};
