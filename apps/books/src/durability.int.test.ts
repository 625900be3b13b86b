import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempDisposableSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findProgram } from "@framework/services";
import { waitFor } from "@framework/testing";
import { describe, expect, test } from "@jest/globals";
import { startBooks } from "./start-books.test-kit.ts";

/** Longest interval at which the process renews its leases and its registration, each with a commit. */
const RENEWAL_MS = 5000;

const strace = findProgram("strace");
if (strace === null) console.log("skipped: strace is not installed");

/** Records the calls of fsync and fdatasync by a running process and its threads. */
const watchFlushes = async (program: string, pid: number, file: string) => {
  const child = spawn(program, ["-f", "-y", "-e", "trace=fsync,fdatasync", "-o", file, "-p", String(pid)], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let errors = "";
  child.stderr.on("data", (chunk) => (errors += String(chunk)));
  await waitFor(() => errors.includes("attached"), { subject: "strace", timeoutMs: 60_000 });
  const lines = (): string[] =>
    readFileSync(file, "utf8")
      .split("\n")
      .filter((line) => /\b(fsync|fdatasync)\(/.test(line));
  return {
    lines,
    end: async (): Promise<void> => {
      child.kill("SIGINT");
      await once(child, "exit");
    },
  };
};

(strace === null ? describe.skip : describe)("with strace", () => {
  test("a book is on disk before its reply: one flush of the write-ahead log per commit, none for a read", async () => {
    using folder = mkdtempDisposableSync(join(tmpdir(), "books-flush-"));
    const env = {
      DATABASE_URL: `sqlite://${join(folder.path, "books.db")}`,
      BOOKS_LOG: "error",
      BOOKS_WORK: "off", // background work would write too
    };
    await using program = await startBooks(env);
    const post = async (n: number) => {
      expect((await program.client.post("/books", { json: { title: `T${n}` } })).status).toBe(201);
    };
    await post(0);
    const flushes = await watchFlushes(strace ?? "", program.pid, join(folder.path, "calls"));
    const from = performance.now();
    for (let n = 1; n <= 10; n++) {
      const before = flushes.lines().length;
      await post(n);
      expect(flushes.lines().length).toBeGreaterThan(before); // strace writes a flush to the file before the process continues
      for (let read = 0; read < 10; read++) await program.client.get(`/books/${n}`);
    }
    await flushes.end();
    const renewals = 1 + Math.ceil((performance.now() - from) / RENEWAL_MS);
    expect(flushes.lines().filter((line) => !line.includes("books.db-wal"))).toEqual([]);
    expect(flushes.lines().length).toBeLessThanOrEqual(10 + 2 * renewals);
  });
});
