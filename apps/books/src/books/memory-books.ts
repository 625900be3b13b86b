import type { Book, BookChanges } from "./book.ts";
import type { BookStore } from "./book-store.ts";

/** Books of one process, gone when it ends. */
export const memoryBooks = (): BookStore => {
  const books = new Map<number, Book>();
  let lastId = 0;
  return {
    isOfOneProcess: true,
    list(genre) {
      const wanted = genre?.toLowerCase();
      return [...books.values()].filter(
        (book) => wanted === undefined || book.genre.toLowerCase() === wanted,
      );
    },
    get: (id) => books.get(id) ?? null,
    add(book) {
      const added = { id: ++lastId, ...book };
      books.set(added.id, added);
      return added;
    },
    change(id, changes) {
      const book = books.get(id);
      if (book === undefined) return null;
      const changed: Book = { ...book, ...present(changes), id };
      books.set(id, changed);
      return changed;
    },
    remove: (id) => books.delete(id),
  };
};

/** The fields that a client sent; `null` is a value, `undefined` is none. */
const present = (changes: BookChanges): Partial<Book> =>
  Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
