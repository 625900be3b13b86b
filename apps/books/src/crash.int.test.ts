import { mkdtempDisposableSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "@jest/globals";
import { type Program, seededRandom, type TestClient } from "@framework/testing";
import { startBooks } from "./start-books.test-kit.ts";

const kills = Number(process.env["BOOKS_KILLS"] ?? 2);
const seed = Number(process.env["BOOKS_SEED"] ?? Date.now() % 1_000_000);

/** Number of concurrent writers. */
const writers = 8;
/** Maximum number of acknowledged books before a kill; the number is random, from 1. */
const maxBooks = 60;
/** Maximum delay of the kill after that book, in milliseconds; the delay is random. */
const maxDelayMs = 10;

interface Book {
  readonly id: number;
  readonly title: string;
}

/** Observations of the clients. */
interface Observations {
  /** Titles by acknowledged id. */
  readonly acknowledged: Map<number, string>;
  /** Every title that was sent. */
  readonly sent: Set<string>;
}

/** Reads every book of the service, page by page. */
const listBooks = async (client: TestClient): Promise<Book[]> => {
  const books: Book[] = [];
  for (;;) {
    const reply = await client.get("/books", { query: { after: books.at(-1)?.id ?? 0, limit: 1000 } });
    const page = reply.json<{ readonly books: readonly Book[] }>().books;
    books.push(...page);
    if (page.length < 1000) return books;
  }
};

const expectConsistent = async (client: TestClient, { acknowledged, sent }: Observations): Promise<void> => {
  const books = await listBooks(client);
  expect(books.map(({ id }) => id)).toEqual(books.map((_, index) => index + 1)); // no duplicate, no gap
  const titles = new Map(books.map(({ id, title }) => [id, title]));
  expect([...acknowledged].filter(([id, title]) => titles.get(id) !== title)).toEqual([]);
  expect(new Set(titles.values()).size).toBe(books.length); // no duplicate write
  expect([...titles.values()].filter((title) => !sent.has(title))).toEqual([]);
};

/** Writes until the program is killed; returns the number of requests that were then in flight. */
const writeUntilKilled = async (
  { client, output }: Program,
  seen: Observations,
  onAcknowledged: () => void,
): Promise<number> => {
  const write = async (): Promise<number> => {
    for (;;) {
      const title = `book ${seen.sent.size + 1}`;
      seen.sent.add(title);
      const reply = await client.post("/books", { json: { title } }).catch(() => null);
      if (reply === null) return 1;
      if (reply.status !== 201) throw new Error(`${reply.status} ${reply.text}; ${output()}`);
      const book = reply.json<Book>();
      expect([book.title, seen.acknowledged.get(book.id)]).toEqual([title, undefined]);
      seen.acknowledged.set(book.id, title);
      onAcknowledged();
    }
  };
  const inFlight = await Promise.all(Array.from({ length: writers }, write));
  return inFlight.reduce((sum, one) => sum + one, 0);
};

test(
  `no acknowledged book is lost by ${kills} kills (seed ${seed}), and ids have neither gaps nor duplicates`,
  async () => {
    using folder = mkdtempDisposableSync(join(tmpdir(), "books-crash-"));
    const env = {
      DATABASE_URL: `sqlite://${join(folder.path, "books.db")}`,
      BOOKS_DATABASE_SECS: "120", // a busy disk may take seconds for a commit
      BOOKS_RATE: "1000000000",
      BOOKS_LOG: "warn",
    };
    const start = (): Promise<Program> => startBooks(env);
    const random = seededRandom(seed);
    const seen: Observations = { acknowledged: new Map(), sent: new Set() };
    let unanswered = 0;
    for (let kill = 0; kill < kills; kill++) {
      await using program = await start();
      await expectConsistent(program.client, seen);
      let remaining = 1 + Math.floor(random() * maxBooks);
      const delayMs = random() * maxDelayMs;
      unanswered += await writeUntilKilled(program, seen, () => {
        if (--remaining === 0) void pause(delayMs).then(() => program.kill());
      });
      expect(await program.exited).toEqual({ code: null, signal: "SIGKILL" });
    }
    await using program = await start();
    await expectConsistent(program.client, seen);
    const { length } = await listBooks(program.client);
    console.log(
      `${kills} kills: ${seen.acknowledged.size} books acknowledged, ${length} stored, ${unanswered} requests unanswered`,
    );
    expect(unanswered).toBe(kills * writers);
    expect((await program.client.post("/books", { json: { title: "last" } })).json()).toMatchObject({
      id: length + 1,
    });
  },
  60_000 + kills * 30_000,
);
