/** Schema and resolvers of all servers: plain fields, and fields with async resolvers. */
export const SCHEMA = `
  type Query { hello: String! books(first: Int!): [Book!]! }
  type Book { id: ID! title: String! pages: Int! author: Author! }
  type Author { id: ID! name: String! }
`;

interface Book {
  readonly id: string;
  readonly title: string;
  readonly pages: number;
}

const books: readonly Book[] = Array.from({ length: 50 }, (_, at) => ({
  id: `book-${at}`,
  title: `The book with the number ${at}`,
  pages: 100 + at,
}));

interface Author {
  readonly id: string;
  readonly name: string;
}

const authorOf = async ({ id }: Book): Promise<Author> => ({
  id: `author-of-${id}`,
  name: `The author of ${id}`,
});

/** Resolvers by type and field. */
export const resolvers = {
  Query: {
    hello: (): string => "world",
    books: (_source: unknown, { first }: { readonly first: number }): readonly Book[] =>
      books.slice(0, first),
  },
  Book: { author: authorOf },
};

/** Computes the expected reply to `LIST` without GraphQL. */
export const listReply = async (first: number): Promise<string> =>
  JSON.stringify({
    data: {
      books: await Promise.all(
        books.slice(0, first).map(async (book) => ({ ...book, author: await authorOf(book) })),
      ),
    },
  });
