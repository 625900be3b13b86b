import { openDatabase } from "@framework/database";
import type { TestDatabase } from "@framework/database/testing";
import { type Program, seededRandom, type TestClient, waitFor } from "@framework/testing";
import { expect, type test as jestTest } from "@jest/globals";
import { startBooks } from "../start-books.test-kit.ts";

const seed = Number(process.env["BOOKS_SEED"] ?? Date.now() % 1_000_000);
/** Number of concurrent members. */
const members = 8;
/** Maximum number of acknowledged loans before a kill; the number is random, from 1. */
const maxLoans = 20;

/** Observations of the clients. */
interface Observations {
  /** Member of each acknowledged loan, by book. */
  readonly acknowledged: Map<number, string>;
  /** Member of each loan that got no reply, by book. */
  readonly unacknowledged: Map<number, string>;
  /** Token of the latest loan. */
  token: string;
  nextBook: number;
}

/** Borrows a book; returns whether the loan was acknowledged. A repeated loan has the same key. */
const borrow = async (
  client: TestClient,
  seen: Observations,
  book: number,
  member: string,
): Promise<boolean> => {
  const headers = { "idempotency-key": `loan-${book}` };
  const reply = await client.post(`/books/${book}/loan`, { json: { member }, headers }).catch(() => null);
  if (reply === null) return false;
  if (reply.status === 409 && reply.headers.get("retry-after") !== null) return false; // the first call has not ended yet
  expect([reply.status, reply.json()]).toMatchObject([201, { book, member }]);
  const token = reply.headers.get("consistency-token") ?? "";
  if (token > seen.token) seen.token = token;
  seen.acknowledged.set(book, member);
  seen.unacknowledged.delete(book);
  return true;
};

/** Lends books, and kills the program after a number of acknowledged loans. */
const lendUntilKilled = async (program: Program, seen: Observations, loans: number): Promise<void> => {
  const last = seen.acknowledged.size + loans;
  const lend = async (member: string): Promise<void> => {
    for (;;) {
      const book = seen.nextBook++;
      seen.unacknowledged.set(book, member);
      if (!(await borrow(program.client, seen, book, member))) return;
      if (seen.acknowledged.size === last) program.kill();
    }
  };
  await Promise.all(Array.from({ length: members }, (_, n) => lend(`member ${n}`)));
};

interface OpenLoans {
  readonly loans: readonly { readonly book: number; readonly member: string }[];
}

/** Reads the views, which contain every change up to the token. */
const readViews = async (client: TestClient, token: string) => {
  const headers = { "consistency-token": token };
  const open = (await client.get("/loans/open", { headers })).json<OpenLoans>();
  const counted = (await client.get("/statistics", { headers })).json<{ months: { loans: number }[] }>();
  return {
    open: new Map(open.loans.map(({ book, member }) => [book, member])),
    loans: counted.months.reduce((sum, { loans }) => sum + loans, 0),
  };
};

/** Repeats the loans that got no reply, expects every acknowledged loan in the views, and returns the number of repeated loans. */
const repeatLoans = async (client: TestClient, seen: Observations): Promise<number> => {
  const { size } = seen.unacknowledged;
  for (const [book, member] of seen.unacknowledged)
    await waitFor(() => borrow(client, seen, book, member), { timeoutMs: 120_000 });
  if (seen.token !== "")
    expect(await readViews(client, seen.token)).toEqual({
      open: seen.acknowledged,
      loans: seen.acknowledged.size,
    });
  return size;
};

/** Returns the number of stored loans that the view of open loans lacks. */
const countMissingLoans = async (url: string): Promise<number> => {
  const db = openDatabase({ url });
  try {
    const loans = await db.fetchValue<number>("SELECT count(*) FROM framework_events");
    return (loans ?? 0) - ((await db.fetchValue<number>("SELECT count(*) FROM open_loans")) ?? 0);
  } finally {
    await db.close();
  }
};

/** Declares the crash test, on one kind of database. The first of several killed processes only serves requests. @param kills default of `BOOKS_KILLS` */
export const crashFacts = (
  test: typeof jestTest,
  kills: number,
  make: () => Promise<TestDatabase> | TestDatabase,
): void => {
  const killCount = Number(process.env["BOOKS_KILLS"] ?? kills);
  test(
    `acknowledged loans survive kills, the views catch up, and a repeated loan creates no second one (seed ${seed})`,
    async () => {
      await using storage = await make();
      const env = {
        DATABASE_URL: storage.url,
        BOOKS_DATABASE_SECS: "120", // a busy disk may take seconds for a commit
        BOOKS_RATE: "1000000000",
        BOOKS_LOG: "warn",
      };
      const start = (more = {}): Promise<Program> => startBooks({ ...env, ...more });
      const random = seededRandom(seed);
      const seen: Observations = {
        acknowledged: new Map(),
        unacknowledged: new Map(),
        token: "",
        nextBook: 1,
      };
      let [missing, repeated] = [0, 0];
      for (let kill = 0; kill < killCount; kill++) {
        const servesOnly = kill === 0 && killCount > 1;
        await using program = await start({ BOOKS_WORK: servesOnly ? "off" : "on" });
        const { client } = program;
        if (kill === 0) await addBooks(storage.url, (killCount + 1) * (maxLoans + members));
        repeated += await repeatLoans(client, seen);
        await lendUntilKilled(program, seen, 1 + Math.floor(random() * maxLoans));
        expect(await program.exited).toEqual({ code: null, signal: "SIGKILL" });
        const count = await countMissingLoans(storage.url);
        if (servesOnly) expect(count).toBeGreaterThan(0); // no process has updated the views yet
        missing += count;
      }
      await using program = await start();
      const { open, loans } = await readViews(program.client, seen.token);
      expect(new Map([...open].filter(([book]) => !seen.unacknowledged.has(book)))).toEqual(
        seen.acknowledged,
      );
      expect(loans).toBe(open.size);
      repeated += await repeatLoans(program.client, seen);
      console.log(
        `${killCount} kills: ${seen.acknowledged.size} loans acknowledged, ${repeated} repeated, ${missing} not in the view when their process was killed`,
      );
    },
    (killCount + 1) * 60_000,
  );
};

/** Adds books directly in the database, in one transaction. */
const addBooks = async (url: string, count: number): Promise<void> => {
  const db = openDatabase({ url });
  await db.transaction(async (tx) => {
    for (let id = 1; id <= count; id++)
      await tx.execute`INSERT INTO books (id, title, author, genre, genre_key, year)
        VALUES (${id}, ${`book ${id}`}, 'A', 'General', 'general', NULL)`;
  });
  await db.close();
};
