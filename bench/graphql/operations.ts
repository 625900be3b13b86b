import type { Workload } from "../compare/workloads.ts";
import { listAnswer } from "./library.ts";

/** The servers that are compared: programs beside `servers/`. */
export const servers = [
  { name: "framework", title: "framework", file: "../graphql/framework.ts", args: [] },
  { name: "framework-16", title: "framework on graphql 16", file: "../graphql-16/framework.ts", args: [] },
  { name: "graphql-http", title: "graphql-http", file: "../graphql/graphql-http.ts", args: [] },
  {
    name: "cached",
    title: "graphql-http, cached by hand",
    file: "../graphql/graphql-http.ts",
    args: ["--cached"],
  },
  { name: "yoga", title: "Yoga", file: "../graphql/yoga.ts", args: [] },
  { name: "apollo", title: "Apollo Server", file: "../graphql-16/apollo.ts", args: [] },
  { name: "mercurius", title: "Mercurius", file: "../graphql-16/mercurius.ts", args: [] },
] as const;

export type ServerName = (typeof servers)[number]["name"];

export const isOwn = (name: ServerName): boolean => name === "framework" || name === "framework-16";

/** The framework on the release of graphql that a server runs on. */
export const ownFor = (name: ServerName): ServerName =>
  name === "apollo" || name === "mercurius" ? "framework-16" : "framework";

/** Requests per processor time or per instruction that the framework must reach, as a share of another server's; `null` where nothing is asked. */
export const shareAtLeast = (name: ServerName): number | null => {
  if (isOwn(name) || name === "cached") return null;
  return name === "graphql-http" ? 0.9 : 1;
};

/** The operation as the body of a POST. */
export const asked = (query: string, variables: object = {}): Workload["request"] => ({
  path: "/graphql",
  body: JSON.stringify({ query, variables }),
});

const LIST = "query List($first: Int!) { books(first: $first) { id title pages author { id name } } }";
const world = JSON.stringify({ data: { hello: "world" } });
const common = { type: "application/json", connections: 32, requests: 2000 };
const operation = (at: number): Workload["request"] => asked(`query Each${at} { hello }`);

/** One field from the cache. */
export const field: Workload = {
  ...common,
  name: "field",
  title: "one field",
  request: asked("{ hello }"),
  body: world,
};

/** Everything that is measured. */
export const operations: readonly Workload[] = [
  field,
  {
    ...common,
    name: "list",
    title: "10 books with authors that are awaited",
    request: asked(LIST, { first: 10 }),
    body: await listAnswer(10),
  },
  {
    ...common,
    name: "new",
    title: "one field, documents that are not cached",
    request: operation(10_000),
    variants: Array.from({ length: 80_000 }, (_, at) => operation(10_001 + at)), // more than all rounds send
    body: world,
  },
];

/** What a server is asked: Apollo ends its replies with a line break. */
export const operationFor = (name: ServerName, workload: Workload): Workload =>
  name === "apollo" ? { ...workload, body: `${workload.body}\n` } : workload;
