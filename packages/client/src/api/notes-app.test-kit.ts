import { App, Response } from "@framework/core";
import { openapi } from "@framework/openapi";
import { z } from "zod";

const Note = z.object({ id: z.string(), text: z.string(), stars: z.int().nullable() }).meta({ id: "Note" });
const Missing = z.object({ error: z.string() });

/** A notes service that returns its input. */
export const notesApp = (): App => {
  const app = new (App.with(openapi))().enableOpenapi({ title: "Notes", version: "1.0.0" });
  app.get("/notes/{id}", { name: "getNote", responses: { 200: Note, 404: Missing } }, ({ params }) =>
    params.id === "none"
      ? Response.json({ error: "no note" }, { status: 404 })
      : { id: params.id, text: "", stars: null },
  );
  const query = z.object({ q: z.string(), tags: z.array(z.string()).optional() });
  app.get("/search", { name: "search", query, responses: { 200: query } }, ({ input }) => input.query);
  app.post("/notes", { name: "addNote", body: Note, responses: { 201: Note } }, ({ input }) =>
    Response.json(input.body, { status: 201 }),
  );
  const upload = z.object({ title: z.string(), file: z.file() });
  const stored = z.object({ title: z.string(), name: z.string(), text: z.string() });
  app.post(
    "/files",
    { name: "upload", body: upload, responses: { 200: stored } },
    async ({ input: { body } }) => ({
      title: body.title,
      name: body.file.name,
      text: await body.file.text(),
    }),
  );
  app.get("/teapot", { name: "teapot", responses: { 200: Note } }, () =>
    Response.json({ error: "short and stout" }, { status: 418, headers: { "X-Request-ID": "r-9" } }),
  );
  app.get("/count", { name: "count" }, () => ({ notes: 2 }));
  return app;
};

export const documentOf = async (app: {
  fetch(request: Request): Promise<globalThis.Response>;
}): Promise<unknown> => (await app.fetch(new Request("http://localhost/openapi.json"))).json();
