import { query, type QueryContext } from "@framework/cqrs";
import { projection, type Projection } from "@framework/event-sourcing";
import { z } from "zod";
import { BookBorrowed } from "./loan.ts";

const MAX_BOOKS = 100;
const MAX_MONTHS = 120;

/** The view that counts loans by book and month, including returned loans and loans of deleted books. */
export const statisticsView = (version: number, autoLive: boolean): Projection =>
  projection({
    name: "statistics",
    version,
    autoLive,
    onError: "stop", // skipped loans would make the counts wrong without notice
    types: [BookBorrowed],
    tables: {
      statistics:
        "book BIGINT NOT NULL, month TEXT NOT NULL, loans BIGINT NOT NULL, PRIMARY KEY (book, month)",
    },
    async apply(tx, events, { tables: { statistics } }) {
      for (const { data, recordedAt } of events)
        await tx.execute`INSERT INTO ${statistics} AS counted (book, month, loans)
          VALUES (${data.book}, ${recordedAt.toISOString().slice(0, 7)}, 1)
          ON CONFLICT (book, month) DO UPDATE SET loans = counted.loans + 1`;
    },
  });

export const Statistics = query("Statistics", {
  input: z.object({}),
  output: z.object({
    books: z.array(z.object({ book: z.int(), loans: z.int() })),
    months: z.array(z.object({ month: z.string(), loans: z.int() })),
  }),
  projections: ["statistics"],
  cache: { invalidatedBy: [BookBorrowed], ttl: 10 },
  http: {
    path: "/statistics",
    tags: ["lending"],
    summary: "Count loans",
    description: `Loans of the ${MAX_BOOKS} most borrowed books, and of the last ${MAX_MONTHS} months (UTC) with loans.`,
  },
});

/** Handles `Statistics`. */
export const readStatistics = async (_input: object, { db }: QueryContext) => ({
  books: await db.query<{ book: number; loans: number }>`
    SELECT book, CAST(sum(loans) AS BIGINT) AS loans FROM statistics
    GROUP BY book ORDER BY sum(loans) DESC, book LIMIT ${MAX_BOOKS}`,
  months: await db.query<{ month: string; loans: number }>`
    SELECT month, CAST(sum(loans) AS BIGINT) AS loans FROM statistics
    GROUP BY month ORDER BY month DESC LIMIT ${MAX_MONTHS}`,
});
