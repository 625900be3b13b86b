import { mkdtempDisposableSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { estimate } from "../measure/statistics.ts";
import { startRounds } from "../start/start-rounds.ts";
import type { ListeningRow } from "./report.ts";

/** The reference application as it is built, as its container starts it. */
const BOOKS = "../../../apps/books/dist/main.js";

/** Measures four workers of the reference application in production beside four of bare `node:http` in `node:cluster`, in turns. */
export const measureListening = async (rounds: number): Promise<ListeningRow> => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "bench-listening-"));
  const programs = {
    bare: "workers-bare.mjs",
    books: {
      file: BOOKS,
      args: ["--workers", "4"],
      env: {
        FRAMEWORK_ENV: "production",
        BOOKS_DEVTOOLS: "off",
        PORT: "0",
        DATABASE_URL: `sqlite://${join(folder.path, "books.db")}`,
      },
      until: '"listening"',
    },
  };
  const measured = await startRounds(join(import.meta.dirname, "../start/programs"), programs, rounds);
  return {
    bareMs: estimate(measured.map(({ bare = NaN }) => bare)),
    booksMs: estimate(measured.map(({ books = NaN }) => books)),
    toBare: estimate(measured.map(({ bare = NaN, books = NaN }) => books / bare)),
  };
};
