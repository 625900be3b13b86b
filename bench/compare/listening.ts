import { spawnSync } from "node:child_process";
import { mkdtempDisposableSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { estimate } from "../measure/statistics.ts";
import { measureRounds } from "../start/start-rounds.ts";
import type { ListeningRow } from "./report.ts";

/** The built reference application: a bundle, as in its container. */
const BOOKS = "../../../apps/books/dist/service/main.js";
/** Run when its container is built, to fill the compile cache. */
const WARM = 'import("./app.js")';

/** Measures the start of four production workers of the reference application, as in its container, and of four `node:cluster` workers of bare `node:http`, alternately. */
export const measureListening = async (rounds: number): Promise<ListeningRow> => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "bench-listening-"));
  const env = { NODE_COMPILE_CACHE: join(folder.path, "compiled") };
  const cwd = join(import.meta.dirname, "../../apps/books/dist/service");
  const options = { cwd, env: { ...process.env, ...env }, encoding: "utf8" } as const;
  const { status, stderr } = spawnSync(process.execPath, ["--eval", WARM], options);
  if (status !== 0) throw new Error(`the books application cannot be imported: ${stderr}`);
  const programs = {
    bare: "workers-bare.mjs",
    books: {
      file: BOOKS,
      args: ["--workers", "4"],
      env: {
        ...env,
        FRAMEWORK_ENV: "production",
        BOOKS_DEVTOOLS: "off",
        PORT: "0",
        DATABASE_URL: `sqlite://${join(folder.path, "books.db")}`,
      },
      until: '"listening"',
    },
  };
  const measured = await measureRounds(join(import.meta.dirname, "../start/programs"), programs, rounds);
  return {
    bareMs: estimate(measured.map(({ bare = NaN }) => bare)),
    booksMs: estimate(measured.map(({ books = NaN }) => books)),
    toBare: estimate(measured.map(({ bare = NaN, books = NaN }) => books / bare)),
  };
};
