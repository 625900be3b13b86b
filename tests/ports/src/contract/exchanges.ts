/** One request of the contract, and the reply that every service must send. */
export interface Exchange {
  readonly name: string;
  readonly method: "GET" | "POST";
  readonly path: string;
  /** The API key to send; none is sent without it. */
  readonly key?: string;
  /** A JSON value, or text that is sent unchanged. */
  readonly body?: unknown;
  readonly status: number;
  /** Whole JSON body of the reply; not compared without it. */
  readonly json?: unknown;
  /** Value of the field `Location`. */
  readonly location?: string;
}

/** The API key that every service is started with. */
export const API_KEY = "key-for-the-contract";

const emma = { id: 1, title: "Emma", author: "Jane Austen", year: 1815 };
const dune = { id: 2, title: "Dune", author: "Frank Herbert", year: 1965 };
const ulysses = { id: 3, title: "Ulysses", author: "Unknown", year: null };
const withoutId = ({ id: _id, ...book }: typeof emma) => book;

const post = { method: "POST", path: "/books", key: API_KEY } as const;
const invalid = (...fields: string[]) => ({ status: 400, json: { error: "Invalid input", fields } });

/** The contract: requests in order, to a freshly started service. */
export const exchanges: readonly Exchange[] = [
  { name: "the service is healthy", method: "GET", path: "/health", status: 200 },
  {
    name: "the list is empty at first",
    method: "GET",
    path: "/books",
    status: 200,
    json: { books: [], total: 0 },
  },

  { name: "a new book", ...post, body: withoutId(emma), status: 201, json: emma, location: "/books/1" },
  { name: "a second book", ...post, body: withoutId(dune), status: 201, json: dune, location: "/books/2" },
  { name: "defaults", ...post, body: { title: "Ulysses" }, status: 201, json: ulysses, location: "/books/3" },

  { name: "one book", method: "GET", path: "/books/2", status: 200, json: dune },
  {
    name: "a page of books",
    method: "GET",
    path: "/books?page=2&size=2",
    status: 200,
    json: { books: [ulysses], total: 3 },
  },
  {
    name: "the order of the ids",
    method: "GET",
    path: "/books",
    status: 200,
    json: { books: [emma, dune, ulysses], total: 3 },
  },

  { name: "no such book", method: "GET", path: "/books/7", status: 404, json: { error: "Book not found" } },
  { name: "no such path", method: "GET", path: "/nowhere", status: 404, json: { error: "Not found" } },
  {
    name: "the same title and author",
    ...post,
    body: withoutId(emma),
    status: 409,
    json: { error: "The book exists already" },
  },

  { name: "an id that is not a number", method: "GET", path: "/books/one", ...invalid("id") },
  { name: "a page that is too large", method: "GET", path: "/books?size=101", ...invalid("size") },
  { name: "a page below the first", method: "GET", path: "/books?page=0", ...invalid("page") },
  { name: "no title", ...post, body: { author: "Nobody" }, ...invalid("title") },
  { name: "an empty title", ...post, body: { title: "" }, ...invalid("title") },
  { name: "a year as a string", ...post, body: { title: "1984", year: "1949" }, ...invalid("year") },
  { name: "two mistakes", ...post, body: { title: "", year: -1 }, ...invalid("title", "year") },
  { name: "a body that is not JSON", ...post, body: "{", ...invalid("body") },

  {
    name: "no key",
    ...post,
    key: "",
    body: { title: "Persuasion" },
    status: 401,
    json: { error: "Unauthorized" },
  },
  {
    name: "a wrong key",
    ...post,
    key: "guess",
    body: { title: "Persuasion" },
    status: 401,
    json: { error: "Unauthorized" },
  },
  {
    name: "no rejected book was added",
    method: "GET",
    path: "/books?size=1",
    status: 200,
    json: { books: [emma], total: 3 },
  },
];
