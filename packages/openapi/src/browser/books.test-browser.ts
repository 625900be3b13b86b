import { App, Response } from "@framework/core";
import { z } from "zod";
import { openapi } from "../index.ts";

/** Text that runs scripts and sends requests if it is rendered as HTML, or as Markdown with HTML. */
export const hostile: string = [
  "<img src=x onerror=\"globalThis.ran='img'\">",
  "<script>globalThis.ran='script'</script>",
  "[link](javascript:globalThis.ran='link')",
  "<a id=lure href=\"javascript:globalThis.ran='anchor'\">anchor</a>",
  "![picture](https://outside.example/pixel.png)",
  "</title></main><script>globalThis.ran='break'</script>",
].join("\n\n");

const Book = z.object({ id: z.int(), title: z.string() }).meta({ id: "Book" });

/** A small app, with plain or hostile text everywhere that a page shows text. */
export const booksApp = (text: string): App => {
  const app = new (App.with(openapi))().enableOpenapi({
    title: `Books ${text}`,
    version: "2.0.0",
    description: text || "A service of **books**.",
    tags: [{ name: "books", description: text || "All books." }],
  });
  const about = { tags: ["books"], ...(text === "" ? {} : { summary: text, description: text }) };
  app.get("/books/{id}", { ...about, responses: { 200: Book } }, ({ params }) => ({
    id: Number(params.id),
    title: "Emma",
  }));
  app.post(
    "/books",
    {
      ...about,
      body: z.object({ title: z.string().meta({ description: text || "Its title." }) }),
      responses: { 201: Book },
    },
    ({ input }) => Response.json({ id: 1, ...input.body }, { status: 201 }),
  );
  return app;
};
