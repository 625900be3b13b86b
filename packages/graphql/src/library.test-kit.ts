import { App, dependency, ForbiddenError, type Token } from "@framework/core";
import type { ConfigInput } from "@framework/core/feature";
import { websocket, type WebSocketMethods } from "@framework/websocket";
import { GraphQLError } from "graphql";
import {
  createLoader,
  field,
  type Graphql,
  graphql,
  type GraphQLConfig,
  type GraphqlContext,
  type Loader,
  subscription,
} from "./index.ts";

export const SCHEMA = `
  type Query {
    hello(name: String! = "you"): String!
    now: Int
    book(id: ID!): Book
    books(first: Int): [Book!]!
    node: Node
    secret(level: Int): String
    mine: String
    refused: String
    broken: String
    odd: Int
    hangs: String
    page(limit: Int = 50): [Book!]!
    tags(first: Int): [String!]!
    leaf(tree: Tree): String
  }
  input Tree { nested: Tree name: String }
  interface Node { id: ID! rating: Int }
  type Book implements Node { id: ID! rating: Int title: String author: Author similar(first: Int): [Book!]! }
  type Author { id: ID! name: String books: [Book!]! }
  type Mutation { add(title: String!): Book }
  type Subscription { ticks(to: Int!): Int waits: Int guarded: Int }
`;

/** A clock as a dependency of the resolvers. */
export const Clock: Token<{ now(): number }> = dependency("clock", { create: () => ({ now: () => 7 }) });

/** A library app, with its recorded state. */
export interface Library {
  readonly app: App & Graphql & WebSocketMethods;
  /** Keys of each batch of authors. */
  readonly batches: (readonly string[])[];
  /** Recorded events, in order. */
  readonly events: string[];
}

type Book = { readonly id: string; readonly title: string };

interface Tree {
  readonly nested?: Tree;
  readonly name?: string;
}

const nameIn = ({ nested, name }: Tree): string | undefined => (nested === undefined ? name : nameIn(nested));

const bookOf = (id: string): Book => ({ id, title: `Book ${id}` });

/** Creates an app with books; each field shows one behaviour. */
export const library = (config: ConfigInput<GraphQLConfig> = {}): Library => {
  const batches: (readonly string[])[] = [];
  const events: string[] = [];
  const authors: Loader<string, { id: string; name: string }> = createLoader({
    name: "authors",
    batch: async (ids: readonly string[]) => {
      batches.push(ids);
      return ids.map((id) => ({ id, name: `Author ${id}` }));
    },
  });
  const books = (_: unknown, { first = 3 }: { first?: number }): Book[] =>
    Array.from({ length: first }, (_value, index) => bookOf(String(index + 1)));
  const untilAborted = (signal: AbortSignal): Promise<never> =>
    new Promise((_resolve, reject) => {
      events.push("waits");
      signal.addEventListener("abort", () => {
        events.push("aborted");
        reject(new Error("aborted"));
      });
    });
  const app = new (App.with(websocket, graphql))().enableGraphql({
    schema: SCHEMA,
    resolvers: {
      Query: {
        hello: (_: unknown, { name }: { name: string }) => `Hello, ${name}`,
        now: field({ inject: { clock: Clock } }, (_source, _args, _context, _info, { clock }) => clock.now()),
        book: (_: unknown, { id }: { id: string }) => bookOf(id),
        books,
        secret: field({ guards: [({ params }) => params["level"] === 7] }, () => "the secret"),
        mine: () => {
          throw new GraphQLError("for the client", { extensions: { code: "MINE" } });
        },
        refused: () => {
          throw new ForbiddenError("not yours");
        },
        broken: () => {
          throw new Error("canary");
        },
        odd: () => "canary",
        hangs: (_: unknown, _args: object, { signal }) => untilAborted(signal),
        node: () => bookOf("1"),
        page: (_: unknown, { limit }: { limit: number }) => books(null, { first: limit }),
        tags: (_: unknown, { first = 1 }: { first?: number }) =>
          Array.from({ length: first }, (_value, at) => String(at)),
        leaf: (_: unknown, { tree }: { tree: Tree }) => (nameIn(tree) === "x" ? "found" : "lost"),
      },
      Node: { __resolveType: () => "Book" },
      Book: {
        author: ({ id }: Book, _: object, context: GraphqlContext) =>
          context.load(authors, String(Number(id) % 2)),
        similar: field({ cost: 2 }, books),
        rating: field({ cost: 9 }, () => 5),
      },
      Author: { books: () => books(null, {}) },
      Mutation: {
        add: (_: unknown, { title }: { title: string }) => {
          events.push(`added ${title}`);
          return bookOf("9");
        },
      },
      Subscription: {
        ticks: subscription({}, async function* (_source, { to }: { to: number }) {
          try {
            for (let tick = 1; tick <= to; tick++) yield tick;
          } finally {
            events.push("ticks ended");
          }
        }),
        waits: subscription({}, async function* (_source, _args, { signal }) {
          try {
            yield 1;
            await untilAborted(signal);
          } finally {
            events.push("closed");
          }
        }),
        guarded: subscription({ guards: [() => "members only"] }, async function* () {
          yield 1;
        }),
      },
    },
    ...config,
  });
  return { app, batches, events };
};
