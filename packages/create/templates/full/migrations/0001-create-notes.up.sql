CREATE TABLE notes (
  id TEXT NOT NULL PRIMARY KEY,
  body TEXT NOT NULL,
  author TEXT NOT NULL,
  created_at TEXT NOT NULL
);
CREATE INDEX notes_by_time ON notes (created_at);
