import { type Database, sql, type Statement } from "@framework/database";
import { comparable } from "../fields.ts";
import type { Book, BookChanges, NewBook } from "./book.ts";
import type { BookQuery, BookStore } from "./book-store.ts";

const columns = sql`id, title, author, genre, year`;

/** Books in a SQLite or PostgreSQL database. @param options.timeoutSecs limit of a transaction */
export const sqlBooks = (db: Database, { timeoutSecs }: { readonly timeoutSecs: number }): BookStore => ({
  list: ({ genre, after, limit }: BookQuery) => {
    const ofGenre = genre === null ? sql`` : sql`genre_key = ${comparable(genre)} AND`;
    return db.query<Book>`SELECT ${columns} FROM books WHERE ${ofGenre} id > ${after} ORDER BY id LIMIT ${limit}`;
  },

  count: async ({ genre }) => {
    const ofGenre = genre === null ? sql`` : sql`WHERE genre_key = ${comparable(genre)}`;
    return (await db.fetchValue<number>`SELECT count(*) FROM books ${ofGenre}`) ?? 0;
  },

  get: (id) => db.fetchOne<Book>`SELECT ${columns} FROM books WHERE id = ${id}`,

  add: (book: NewBook, onStore) =>
    db.transaction(
      async (tx) => {
        const id = await tx.fetchValue<number>`UPDATE book_counter SET last = last + 1 RETURNING last`;
        const added: Book = { id: id ?? 0, ...book };
        await tx.execute`INSERT INTO books (id, title, author, genre, genre_key, year)
        VALUES (${added.id}, ${book.title}, ${book.author}, ${book.genre}, ${comparable(book.genre)}, ${book.year})`;
        await onStore(tx, added);
        return added;
      },
      { timeoutSecs },
    ),

  change: async (id, changes, onStore) => {
    const sets = assignments(changes);
    if (sets.length === 0) return await db.fetchOne<Book>`SELECT ${columns} FROM books WHERE id = ${id}`;
    return await db.transaction(
      async (tx) => {
        const book =
          await tx.fetchOne<Book>`UPDATE books SET ${sql.join(sets)} WHERE id = ${id} RETURNING ${columns}`;
        if (book !== null) await onStore(tx, book);
        return book;
      },
      { timeoutSecs },
    );
  },

  remove: (id, onRemove) =>
    db.transaction(
      async (tx) => {
        // Deletes the row first: this waits for transactions that lock it, so the callback sees what they committed.
        const { changes } = await tx.execute`DELETE FROM books WHERE id = ${id}`;
        if (changes > 0) await onRemove(tx, id);
        return changes > 0;
      },
      { timeoutSecs },
    ),

  lock: async (tx, id) => {
    const lock = db.dialect === "postgres" ? sql`FOR KEY SHARE` : sql``; // SQLite runs one writer at a time
    return (await tx.fetchValue`SELECT id FROM books WHERE id = ${id} ${lock}`) !== null;
  },
});

/** Returns SQL assignments of the fields that the client sent; `null` is a value, `undefined` means absent. */
const assignments = ({ title, author, genre, year }: BookChanges): Statement[] => [
  ...(title === undefined ? [] : [sql`title = ${title}`]),
  ...(author === undefined ? [] : [sql`author = ${author}`]),
  ...(genre === undefined ? [] : [sql`genre = ${genre}`, sql`genre_key = ${comparable(genre)}`]),
  ...(year === undefined ? [] : [sql`year = ${year}`]),
];
