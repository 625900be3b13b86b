import type { Workload } from "../workloads/workloads.ts";
import { listReply } from "./library.ts";

/** The compared servers. Paths are relative to `servers/`. */
export const servers = [
  { name: "framework", title: "framework", file: "../graphql/framework.ts", args: [] },
  { name: "framework-16", title: "framework on graphql 16", file: "../graphql-16/framework.ts", args: [] },
  { name: "graphql-http", title: "graphql-http", file: "../graphql/graphql-http.ts", args: [] },
  {
    name: "cached",
    title: "graphql-http, hand-written document cache",
    file: "../graphql/graphql-http.ts",
    args: ["--cached"],
  },
  { name: "yoga", title: "Yoga", file: "../graphql/yoga.ts", args: [] },
  { name: "apollo", title: "Apollo Server", file: "../graphql-16/apollo.ts", args: [] },
  { name: "mercurius", title: "Mercurius", file: "../graphql-16/mercurius.ts", args: [] },
] as const;

export type ServerName = (typeof servers)[number]["name"];

export const isFramework = (name: ServerName): boolean => name === "framework" || name === "framework-16";

/** Returns the framework on the same release of graphql as a server. */
export const frameworkFor = (name: ServerName): ServerName =>
  name === "apollo" || name === "mercurius" ? "framework-16" : "framework";

/** Returns the minimum ratio of the framework's requests per processor time or instruction to another server's; `null` without a gate. */
export const minRatioFor = (name: ServerName): number | null => {
  if (isFramework(name) || name === "cached") return null;
  return name === "graphql-http" ? 0.9 : 1;
};

/** Creates the POST of an operation. */
export const requestOf = (query: string, variables: object = {}): Workload["request"] => ({
  path: "/graphql",
  body: JSON.stringify({ query, variables }),
});

const LIST = "query List($first: Int!) { books(first: $first) { id title pages author { id name } } }";
const world = JSON.stringify({ data: { hello: "world" } });
const common = { type: "application/json", connections: 32, requests: 2000 };
const operation = (at: number): Workload["request"] => requestOf(`query Each${at} { hello }`);

/** One field, with a cached document. */
export const field: Workload = {
  ...common,
  name: "field",
  title: "one field",
  request: requestOf("{ hello }"),
  body: world,
};

/** All measured operations. */
export const operations: readonly Workload[] = [
  field,
  {
    ...common,
    name: "list",
    title: "10 books with async authors",
    request: requestOf(LIST, { first: 10 }),
    body: await listReply(10),
  },
  {
    ...common,
    name: "new",
    title: "one field, uncached documents",
    request: operation(10_000),
    variants: Array.from({ length: 80_000 }, (_, at) => operation(10_001 + at)), // more than all rounds use
    body: world,
  },
];

/** Returns the workload for a server: Apollo ends its replies with a line break. */
export const operationFor = (name: ServerName, workload: Workload): Workload =>
  name === "apollo" ? { ...workload, body: `${workload.body}\n` } : workload;
