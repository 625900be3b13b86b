import { randomUUID } from "node:crypto";
import { type JwtAuth, JwtClaims, RoleGuard } from "@framework/auth";
import { Blueprint, NotFoundError, Response } from "@framework/core";
import type { Database } from "@framework/database";
import { z } from "zod";
import type { ServiceApp } from "./service-app.ts";

/** Whether a database stores a text unchanged: PostgreSQL allows no NUL, and UTF-8 no lone surrogate. */
const isStorable = (text: string): boolean => !text.includes("\0") && text.isWellFormed();

const NewNote = z
  .object({
    body: z.string().min(1).max(10_000).refine(isStorable, "must not contain NUL or a lone surrogate"),
  })
  .meta({ id: "NewNote" });
const Note = z
  .object({ id: z.string(), body: z.string(), author: z.string(), createdAt: z.iso.datetime() })
  .meta({ id: "Note" });
const Notes = z.object({ notes: z.array(Note) });
type Note = z.infer<typeof Note>;
type NoteRoutes = Blueprint<"/notes", ServiceApp>;

const MAX_LISTED = 100;

/** Public routes. */
export const readingRoutes = (db: Database): NoteRoutes => {
  const routes: NoteRoutes = new Blueprint("/notes", { tags: ["notes"] });
  routes.get("", { summary: "The newest notes", responses: { 200: Notes } }, async () => ({
    notes:
      await db.fetchAll<Note>`SELECT id, body, author, created_at AS "createdAt" FROM notes ORDER BY created_at DESC LIMIT ${MAX_LISTED}`,
  }));
  routes.get("/{id}", { summary: "A note", responses: { 200: Note } }, async ({ params: { id } }) => {
    const note =
      await db.fetchOne<Note>`SELECT id, body, author, created_at AS "createdAt" FROM notes WHERE id = ${id}`;
    if (note === null) throw new NotFoundError(`There is no note ${id}`);
    return note;
  });
  return routes;
};

/** Routes for callers with a token; only editors can delete notes. */
export const writingRoutes = (db: Database, auth: JwtAuth): NoteRoutes => {
  const routes: NoteRoutes = new Blueprint("/notes", { tags: ["notes"] });
  routes.use(auth);
  routes.post(
    "",
    { summary: "Add a note", body: NewNote, responses: { 201: Note } },
    async ({ input, context }) => {
      const note: Note = {
        id: randomUUID(),
        body: input.body.body,
        author: context.get(JwtClaims)?.sub ?? "unknown",
        createdAt: new Date().toISOString(),
      };
      await db.execute`INSERT INTO notes (id, body, author, created_at) VALUES (${note.id}, ${note.body}, ${note.author}, ${note.createdAt})`;
      return Response.created(note, `/notes/${note.id}`);
    },
  );
  routes.delete(
    "/{id}",
    { summary: "Delete a note", guards: [new RoleGuard("editor")] },
    async ({ params: { id } }) => {
      const { changes } = await db.execute`DELETE FROM notes WHERE id = ${id}`;
      if (changes === 0) throw new NotFoundError(`There is no note ${id}`);
      return Response.noContent();
    },
  );
  return routes;
};
