/** Where a SQLite database lives: a file, or the memory of this process; `null` for another kind of database. */
export const sqliteLocation = (url: string): string | null => {
  if (!url.startsWith("sqlite://")) return null;
  const path = decodeURIComponent(url.slice("sqlite://".length));
  return path === "" || path === ":memory:" || path === "/:memory:" ? ":memory:" : path;
};
