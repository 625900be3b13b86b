/** One book of the service. */
export interface Book {
  readonly id: number;
  readonly title: string;
  readonly author: string;
  readonly year: number | null;
}

/** A book as sent by a client. */
export type NewBook = Omit<Book, "id">;

/** The books of one service, in memory. The services for Node share it, because it is independent of frameworks. */
export class BookStore {
  private readonly books: Book[] = [];

  /** Returns one page of the list; the first page is 1. */
  list({ page, size }: { readonly page: number; readonly size: number }): {
    readonly books: readonly Book[];
    readonly total: number;
  } {
    return { books: this.books.slice((page - 1) * size, page * size), total: this.books.length };
  }

  find(id: number): Book | undefined {
    return this.books.find((book) => book.id === id);
  }

  /** Adds a book under the next id. Returns `undefined` if a book with the same title and author exists. */
  add({ title, author, year }: NewBook): Book | undefined {
    if (this.books.some((book) => book.title === title && book.author === author)) return undefined;
    const book = { id: this.books.length + 1, title, author, year };
    this.books.push(book);
    return book;
  }
}
