/** Where a SQLite database lives: a file, or the memory of this process. */
export const sqliteLocation = (url: string): string => {
  const path = decodeURIComponent(url.slice("sqlite://".length));
  return path === "" || path === ":memory:" || path === "/:memory:" ? ":memory:" : path;
};
