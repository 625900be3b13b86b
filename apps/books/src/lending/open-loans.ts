import { query, type QueryContext } from "@framework/cqrs";
import { sql } from "@framework/database";
import { projection, type Projection } from "@framework/event-sourcing";
import { z } from "zod";
import { after, MAX_PAGE } from "../fields.ts";
import { Instant, Member } from "./fields.ts";
import { loanEvents } from "./loan.ts";

/** The view of open loans. */
export const openLoansView = (version: number, autoLive: boolean): Projection =>
  projection({
    name: "open_loans",
    version,
    autoLive,
    types: loanEvents,
    tables: {
      open_loans:
        "book BIGINT NOT NULL PRIMARY KEY, member TEXT NOT NULL, due_at TEXT NOT NULL, reminded INTEGER NOT NULL",
    },
    create: (tx, { open_loans: table }) =>
      tx.execute`CREATE INDEX ${sql.identifier(`open_loans_v${version}_member`)} ON ${table} (member, book)`,
    async apply(tx, events, { tables: { open_loans: table } }) {
      for (const { type, data } of events) {
        if (type === "BookBorrowed")
          await tx.execute`INSERT INTO ${table} (book, member, due_at, reminded)
            VALUES (${data.book}, ${data.member}, ${data.dueAt}, 0)`;
        else if (type === "BookReturned") await tx.execute`DELETE FROM ${table} WHERE book = ${data.book}`;
        else await tx.execute`UPDATE ${table} SET reminded = 1 WHERE book = ${data.book}`;
      }
    },
  });

export const OpenLoans = query("OpenLoans", {
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
  projections: ["open_loans"],
  cache: { invalidatedBy: loanEvents, tags: ["books"], ttl: 10 }, // `books`: a changed title invalidates the replies
  http: {
    path: "/loans/open",
    tags: ["lending"],
    summary: "List open loans",
    description: `Loans are ordered by the id of the book, at most ${MAX_PAGE} per page; \`member\` selects the loans of one member. For the next page, pass the last book's id as \`after\`.`,
  },
});

interface OpenLoanRow {
  readonly book: number;
  readonly title: string;
  readonly member: string;
  readonly dueAt: string;
  readonly reminded: number;
}

/** Handles `OpenLoans`; the titles come from the table of books. */
export const readOpenLoans = async (
  { member, after: from = 0 }: z.infer<typeof OpenLoans.input>,
  { db }: QueryContext,
) => {
  const ofMember = member === undefined ? sql`` : sql`open_loans.member = ${member} AND`;
  const rows = await db.query<OpenLoanRow>`
    SELECT book, title, member, due_at AS "dueAt", reminded FROM open_loans JOIN books ON books.id = open_loans.book
    WHERE ${ofMember} book > ${from} ORDER BY book LIMIT ${MAX_PAGE}`;
  return { loans: rows.map(({ reminded, ...loan }) => ({ ...loan, isReminded: reminded === 1 })) };
};
