// Tests of lending in one file, because they run on every kind of database.
import type { TestDatabase } from "@framework/database/testing";
import { socketClient, type TestClient, type TestReply, waitFor } from "@framework/testing";
import { afterAll, beforeAll, expect, type test as jestTest } from "@jest/globals";
import { createBooksApp } from "../app.ts";
import type { BooksApp } from "../books-app.ts";
import { booksSettings } from "../settings.ts";

const DAY_MS = 86_400_000;

type Env = Readonly<Record<string, string>>;
type Facts = (client: TestClient, app: BooksApp) => Promise<void>;

const dune = { title: "Dune", author: "Frank Herbert" };

/** A service that several tests share, with two books and a member for one test. */
interface SharedService {
  readonly client: TestClient;
  readonly first: number;
  readonly second: number;
  readonly member: string;
}

const addBook = async (client: TestClient, book: object): Promise<number> =>
  (await client.post("/books", { json: book })).json<{ id: number }>().id;

const appOn = (storage: TestDatabase, env: Env): BooksApp =>
  createBooksApp(
    booksSettings({
      DATABASE_URL: storage.url,
      BOOKS_LOG: "silent",
      BOOKS_RATE: "1000000",
      BOOKS_DATABASE_SECS: "120",
      ...env,
    }),
  );

/** Starts the service on a database, runs a test, and stops it. */
const serve = async (storage: TestDatabase, env: Env, facts: Facts): Promise<void> => {
  const app = appOn(storage, env);
  await using client = socketClient(app);
  await facts(client, app);
};

const borrow = (client: TestClient, book: number, member: string, headers = {}): Promise<TestReply> =>
  client.post(`/books/${book}/loan`, { json: { member }, headers });

const giveBack = (client: TestClient, book: number): Promise<TestReply> =>
  client.delete(`/books/${book}/loan`);

interface Loan {
  readonly book: number;
  readonly member: string;
  readonly isReminded: boolean;
}

type Reply = Pick<TestReply, "headers">;

/** Reads a view with the token of the reply to a command. */
const readView = async <T>(
  client: TestClient,
  path: string,
  { headers }: Reply,
  query: object,
): Promise<T> => {
  const token = headers.get("consistency-token");
  const reply = await client.get(path, {
    query: { ...query },
    headers: token === null ? {} : { "consistency-token": token },
  });
  expect(reply.status).toBe(200);
  return reply.json<T>();
};

const openLoans = async (client: TestClient, after: Reply, query: object = {}): Promise<readonly Loan[]> =>
  (await readView<{ loans: Loan[] }>(client, "/loans/open", after, query)).loans;

const statistics = (client: TestClient, after: Reply, query: object = {}): Promise<unknown> =>
  readView(client, "/statistics", after, query);

const errorOf = ({ status, json }: TestReply): unknown => [status, json<{ code?: string }>().code];

/** Declares the tests of lending, over a socket. */
export const lendingFacts = (
  test: typeof jestTest,
  make: () => Promise<TestDatabase> | TestDatabase,
): void => {
  const fact = (name: string, facts: Facts, env: Env = {}): void =>
    test(name, async () => {
      await using storage = await make();
      await serve(storage, env, async (client, app) => {
        await client.post("/books", { json: dune });
        await client.post("/books", { json: { title: "Emma" } });
        await facts(client, app);
      });
    });

  const stack = new AsyncDisposableStack();
  let shared: TestClient;
  beforeAll(async () => {
    const storage = stack.use(await make());
    shared = stack.use(socketClient(appOn(storage, {})));
  });
  afterAll(() => stack.disposeAsync());
  const sharedFact = (name: string, facts: (service: SharedService) => Promise<void>): void =>
    test(name, async () => {
      const [first, second] = [await addBook(shared, dune), await addBook(shared, { title: "Emma" })];
      await facts({ client: shared, first, second, member: `member of ${first}` });
    });

  sharedFact(
    "a book is on loan for two weeks, and a request with the token of the reply sees the loan",
    async ({ client, first, member }) => {
      const before = Date.now();
      const borrowed = await borrow(client, first, member);
      expect([borrowed.status, borrowed.json()]).toEqual([
        201,
        { book: first, member, dueAt: expect.stringMatching(/^\d{4}-.*Z$/) },
      ]);
      const dueInMs = Date.parse(borrowed.json<{ dueAt: string }>().dueAt) - before;
      expect(dueInMs).toBeGreaterThanOrEqual(14 * DAY_MS);
      expect(dueInMs).toBeLessThan(14 * DAY_MS + 60_000);
      expect(await openLoans(client, borrowed, { member })).toEqual([
        { ...borrowed.json<object>(), title: "Dune", isReminded: false },
      ]);
    },
  );

  sharedFact(
    "a returned book has no open loan, and can be borrowed again",
    async ({ client, first, member }) => {
      await borrow(client, first, member);
      const returned = await giveBack(client, first);
      expect([returned.status, returned.text]).toEqual([204, ""]);
      expect(await openLoans(client, returned, { member })).toEqual([]);
      expect((await borrow(client, first, "bob")).status).toBe(201);
    },
  );

  sharedFact("errors of the lending rules have their own codes", async ({ client, first }) => {
    expect(errorOf(await borrow(client, 7000, "ann"))).toEqual([404, "BOOKS_NO_BOOK"]);
    expect(errorOf(await giveBack(client, first))).toEqual([409, "BOOKS_NOT_ON_LOAN"]);
    expect(errorOf(await giveBack(client, 7000))).toEqual([409, "BOOKS_NOT_ON_LOAN"]);
    await borrow(client, first, "ann");
    const refused = await borrow(client, first, "bob");
    expect([refused.status, refused.json()]).toEqual([
      409,
      { error: "Conflict", detail: "The book is on loan", status: 409, code: "BOOKS_ON_LOAN" },
    ]);
  });

  sharedFact("invalid input gets 422", async ({ client }) => {
    for (const body of [
      undefined,
      [],
      {},
      { member: "" },
      { member: "\0" },
      { member: "\ud800" },
      { member: "x".repeat(201) },
      { member: 7 },
    ])
      expect((await client.post("/books/1/loan", { json: body })).json()).toMatchObject({
        error: "Validation Failed",
        status: 422,
      });
    for (const id of ["one", "0", "1.5", "-1", "9".repeat(400)])
      expect((await client.delete(`/books/${id}/loan`)).status).toBe(422);
    for (const query of ["member=", "after=x"])
      expect((await client.get(`/loans/open?${query}`)).status).toBe(422);
  });

  fact("open loans can be filtered by member, and paged by book id", async (client) => {
    await borrow(client, 2, "ann");
    const borrowed = await borrow(client, 1, "bob");
    const books = async (query: object) => (await openLoans(client, borrowed, query)).map(({ book }) => book);
    expect(await books({})).toEqual([1, 2]);
    expect(await books({ member: "ann" })).toEqual([2]);
    expect(await books({ member: "eve" })).toEqual([]);
    expect(await books({ after: 1 })).toEqual([2]);
  });

  fact("statistics count the loans of each book and month", async (client) => {
    await borrow(client, 2, "ann");
    await giveBack(client, 2);
    await borrow(client, 2, "bob");
    const month = new Date().toISOString().slice(0, 7);
    expect(await statistics(client, await borrow(client, 1, "ann"))).toEqual({
      books: [
        { book: 2, loans: 2 },
        { book: 1, loans: 1 },
      ],
      months: [{ month, loans: 3 }],
    });
  });

  fact("cached open loans are invalidated by a loan, a return, and a change of a title", async (client) => {
    const cached = async (): Promise<unknown> => {
      const reply = await client.get("/loans/open");
      return [reply.headers.get("x-cache"), reply.json<{ loans: { title: string }[] }>().loans[0]?.title];
    };
    const untilCached = async (title: string | undefined): Promise<void> => {
      await waitFor(async () => expect(await cached()).toEqual(["HIT", title]) === undefined);
    };
    await untilCached(undefined);
    await borrow(client, 1, "ann");
    await untilCached("Dune");
    await client.put("/books/1", { json: { title: "Dune Messiah" } });
    expect(await cached()).toEqual(["MISS", "Dune Messiah"]);
    await giveBack(client, 1);
    await untilCached(undefined);
  });

  sharedFact(
    "a loan that is repeated with its idempotency key is created once",
    async ({ client, first, second }) => {
      const headers = { "idempotency-key": "5b0d-1" };
      const borrowed = await borrow(client, first, "ann", headers);
      const again = await borrow(client, first, "ann", headers);
      expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([201, "true"]);
      expect(again.json()).toEqual(borrowed.json());
      expect(again.headers.get("consistency-token")).toBe(borrowed.headers.get("consistency-token"));
      expect((await borrow(client, second, "ann", headers)).status).toBe(422);
      const { books } = (await statistics(client, again)) as { books: { book: number }[] };
      expect(books.filter(({ book }) => book >= first)).toEqual([{ book: first, loans: 1 }]);
    },
  );

  sharedFact("one of 16 concurrent loans of a book succeeds", async ({ client, first }) => {
    const replies = await Promise.all(
      Array.from({ length: 16 }, (_, n) => borrow(client, first, `member ${n}`)),
    );
    const [winner, ...others] = replies.filter(({ status }) => status === 201);
    expect(others).toEqual([]);
    expect(replies.filter((reply) => reply !== winner).map(errorOf)).toEqual(
      Array.from({ length: 15 }, () => [409, "BOOKS_ON_LOAN"]),
    );
    const [loan, ...more] = await openLoans(client, winner ?? fail(), { after: first - 1 });
    expect([loan?.member, more]).toEqual([winner?.json<Loan>().member, []]);
  });

  test("one of several concurrent loans on two hosts succeeds, and both hosts show it to requests with its token", async () => {
    await using storage = await make();
    await serve(storage, {}, async (one) => {
      await serve(storage, {}, async (other) => {
        for (let book = 1; book <= 5; book++) {
          await one.post("/books", { json: dune });
          const hosts = Array.from({ length: 4 }, () => [one, other]).flat();
          const replies = await Promise.all(hosts.map((host, n) => borrow(host, book, `member ${n}`)));
          const [winner, ...others] = replies.filter(({ status }) => status === 201);
          expect([winner?.status, others]).toEqual([201, []]);
          for (const host of [one, other]) expect(await openLoans(host, winner ?? fail())).toHaveLength(book);
        }
      });
    });
  });

  sharedFact("a book on loan is not deleted, a returned one is", async ({ client, first }) => {
    await borrow(client, first, "ann");
    expect(errorOf(await client.delete(`/books/${first}`))).toEqual([409, "BOOKS_ON_LOAN"]);
    expect((await client.get(`/books/${first}`)).json()).toMatchObject(dune);
    await giveBack(client, first);
    expect((await client.delete(`/books/${first}`)).json()).toEqual({ deleted: true, id: first });
    expect(errorOf(await borrow(client, first, "ann"))).toEqual([404, "BOOKS_NO_BOOK"]);
  });

  sharedFact(
    "a book that is borrowed and deleted concurrently is either on loan or deleted",
    async ({ client }) => {
      for (let n = 0; n < 20; n++) {
        const book = await addBook(client, dune);
        const [borrowed, deleted] = await Promise.all([
          borrow(client, book, "ann"),
          client.delete(`/books/${book}`),
        ]);
        expect([
          [201, 409],
          [404, 200],
        ]).toContainEqual([borrowed.status, deleted.status]);
        expect((await client.get(`/books/${book}`)).status).toBe(borrowed.status === 201 ? 200 : 404);
      }
    },
  );

  fact(
    "the member of an overdue loan is reminded, once",
    async (client, app) => {
      const borrowed = await borrow(client, 1, "ann");
      await waitFor(async () => (await openLoans(client, borrowed))[0]?.isReminded);
      const { events } = await app.eventStore.readAll({ category: "loan" });
      expect(events.map(({ type }) => type)).toEqual(["BookBorrowed", "MemberReminded"]);
    },
    { BOOKS_LOAN_DAYS: "0" },
  );

  fact("the reminder is cancelled by the return, and a refused loan has none", async (client, app) => {
    const [reminder] = app.jobs.all();
    const reminders = async () =>
      (await reminder?.list())?.jobs.map(({ input, state }) => ({ input, state }));
    const { dueAt } = (await borrow(client, 1, "ann")).json<{ dueAt: string }>();
    await borrow(client, 1, "bob");
    expect(await reminders()).toEqual([{ input: { book: 1, dueAt }, state: "waiting" }]);
    await giveBack(client, 1);
    expect(await reminders()).toMatchObject([{ state: "cancelled" }]);
    await borrow(client, 1, "bob");
    expect(await reminders()).toMatchObject([{ state: "cancelled" }, { state: "waiting" }]);
  });

  test("BOOKS_REBUILD rebuilds the views from all events while the old ones stay in use, and cannot be lowered", async () => {
    await using storage = await make();
    const expected: unknown[] = [];
    await serve(storage, {}, async (client, app) => {
      for (const title of ["A", "B", "C"]) await client.post("/books", { json: { title } });
      for (const book of [1, 2, 3]) await borrow(client, book, "ann");
      const returned = await giveBack(client, 2);
      expected.push(await openLoans(client, returned), await statistics(client, returned));
      await app.db.execute("UPDATE open_loans_v1 SET member = 'eve'"); // makes the view wrong
      await app.db.execute("UPDATE statistics_v1 SET loans = 7");
    });
    await serve(storage, { BOOKS_REBUILD: "1" }, async (client) => {
      const withoutToken = { headers: new Headers() };
      let reads = 0;
      await waitFor(async () => {
        const views = [
          await openLoans(client, withoutToken, { reads: ++reads }), // a new query, so no cached reply is used
          await statistics(client, withoutToken, { reads }),
        ];
        expect(views[0]).toHaveLength(2); // never empty
        expect(views).toEqual(expected);
        return true;
      });
      const borrowed = await borrow(client, 2, "bob"); // the rebuilt views are updated too
      expect((await openLoans(client, borrowed)).map(({ book }) => book)).toEqual([1, 2, 3]);
    });
    const lowered = createBooksApp(booksSettings({ DATABASE_URL: storage.url, BOOKS_LOG: "silent" }));
    await expect(lowered.start({ log: { info() {}, warn() {}, error() {} } })).rejects.toThrow(
      "BOOKS_REBUILD is 0, but the live lending views were rebuilt once; set it to 1 or 2",
    );
  });

  test("BOOKS_REBUILD cannot be raised again before the views of the last rebuild are live", async () => {
    await using storage = await make();
    const env = { DATABASE_URL: storage.url, BOOKS_LOG: "silent", BOOKS_GO_LIVE: "by-hand" };
    await serve(storage, env, async (client) => void (await addBook(client, dune)));
    await serve(storage, { ...env, BOOKS_REBUILD: "1" }, async (client) => {
      expect((await borrow(client, 1, "ann")).status).toBe(201);
    });
    const raised = createBooksApp(booksSettings({ ...env, BOOKS_REBUILD: "2" }));
    await expect(raised.start({ log: { info() {}, warn() {}, error() {} } })).rejects.toThrow(
      "BOOKS_REBUILD is 2, but the live lending views were rebuilt 0 times; set it to 0 or 1",
    );
    await serve(storage, { ...env, BOOKS_REBUILD: "1" }, async (client, app) => {
      const returned = await giveBack(client, 1);
      const { projections } = app.eventStore;
      await waitFor(() => projections.goLive("open_loans"), { timeoutMs: 60_000 });
      await waitFor(() => projections.goLive("statistics"), { timeoutMs: 60_000 });
      expect(await openLoans(client, returned)).toEqual([]);
    });
    await serve(storage, { ...env, BOOKS_REBUILD: "2" }, async (client) => {
      expect(await openLoans(client, await borrow(client, 1, "bob"))).toHaveLength(1);
    });
  });
};

const fail = (): never => {
  throw new Error("no loan succeeded");
};
