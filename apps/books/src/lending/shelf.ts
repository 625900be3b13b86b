import { query, type QueryContext } from "@framework/cqrs";
import { sql } from "@framework/database";
import { projection, type Projection } from "@framework/event-sourcing";
import { z } from "zod";
import { after, MAX_PAGE } from "../fields.ts";
import { Instant, Member } from "./fields.ts";
import { loanEvents } from "./loan.ts";

/** The view of the books that are currently lent. */
export const shelfView = (version: number, autoLive: boolean): Projection =>
  projection({
    name: "shelf",
    version,
    autoLive,
    types: loanEvents,
    tables: {
      shelf:
        "book BIGINT NOT NULL PRIMARY KEY, member TEXT NOT NULL, due_at TEXT NOT NULL, reminded INTEGER NOT NULL",
    },
    create: (tx, { shelf }) =>
      tx.execute`CREATE INDEX ${sql.identifier(`shelf_v${version}_member`)} ON ${shelf} (member, book)`,
    async apply(tx, events, { tables: { shelf } }) {
      for (const { type, data } of events) {
        if (type === "BookBorrowed")
          await tx.execute`INSERT INTO ${shelf} (book, member, due_at, reminded)
            VALUES (${data.book}, ${data.member}, ${data.dueAt}, 0)`;
        else if (type === "BookReturned") await tx.execute`DELETE FROM ${shelf} WHERE book = ${data.book}`;
        else await tx.execute`UPDATE ${shelf} SET reminded = 1 WHERE book = ${data.book}`;
      }
    },
  });

export const Shelf = query("Shelf", {
  input: z.object({ member: Member.optional(), after }),
  output: z.object({
    loans: z.array(
      z.object({
        book: z.int(),
        title: z.string(),
        member: z.string(),
        dueAt: Instant,
        isReminded: z.boolean(),
      }),
    ),
  }),
  projections: ["shelf"],
  cache: { invalidatedBy: loanEvents, tags: ["books"], ttl: 10 }, // the tag: a changed title must invalidate it
  http: {
    path: "/shelf",
    tags: ["lending"],
    summary: "List lent books",
    description: `Optionally those of one member, ordered by id; at most ${MAX_PAGE}. For the next page, pass the last book's id as \`after\`.`,
  },
});

interface ShelfRow {
  readonly book: number;
  readonly title: string;
  readonly member: string;
  readonly dueAt: string;
  readonly reminded: number;
}

/** Handles `Shelf`; the titles come from the table of books. */
export const readShelf = async (
  { member, after: from = 0 }: z.infer<typeof Shelf.input>,
  { db }: QueryContext,
) => {
  const ofMember = member === undefined ? sql`` : sql`shelf.member = ${member} AND`;
  const rows = await db.query<ShelfRow>`
    SELECT book, title, member, due_at AS "dueAt", reminded FROM shelf JOIN books ON books.id = shelf.book
    WHERE ${ofMember} book > ${from} ORDER BY book LIMIT ${MAX_PAGE}`;
  return { loans: rows.map(({ reminded, ...loan }) => ({ ...loan, isReminded: reminded === 1 })) };
};
