import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { openDatabase } from "../index.ts";
import { numberedPlaceholders } from "../sqlite/placeholders.ts";
import { Statement } from "../statement.ts";
import { splitStatements } from "./split.ts";
import { TextChecker } from "./text-checker.ts";
import type { Dialect } from "./tokens.ts";

const dialects: readonly Dialect[] = ["sqlite", "postgres"];

/** Texts with `;`, `$1` and `COMMIT` only in quotes or comments. */
const inert: Readonly<Record<Dialect, readonly string[]>> = {
  sqlite: [
    "'; $1'",
    "'it''s; $1'",
    '"a;$1"',
    "`a;$1`",
    "[a;$1]",
    "-- ;$1\n",
    "/* ; $1 '*/",
    "/* /* */",
    "a$1",
    "'\\'",
  ],
  postgres: [
    "'; $1'",
    "'it''s; $1'",
    '"a;$1"',
    "E'it\\'s; $1'",
    "e'\\\\'",
    "$$ ; $1 $$",
    "$tag$ ; $$ $1 $tag$",
    "-- ;$1\n",
    "/* ; /* $1 */ ; */",
    "a$1",
    "name$$",
    "'\\'",
  ],
};

const words = ["SELECT", "x", "1", "1.5", "(", ")", ",", "*", "<>", "COMMIT_x", "t.end"];

test.each(dialects)("%s: parameters and statements are counted outside of quotes and comments", (dialect) => {
  const piece = fc.oneof(
    fc
      .constantFrom(...inert[dialect], ...words.filter((word) => !"()".includes(word)))
      .map((text) => ({ text, uses: 0 })),
    fc.integer({ min: 1, max: 3 }).map((index) => ({ text: `$${index}`, uses: index })),
  );
  const statement = fc.array(piece, { maxLength: 8 }).map((pieces) => ({
    text: ["SELECT", ...pieces.map(({ text }) => text)].join(" "),
    uses: pieces.map(({ uses }) => uses).filter((index) => index > 0),
  }));
  const checker = new TextChecker(dialect);
  fc.assert(
    fc.property(fc.array(statement, { minLength: 1, maxLength: 4 }), ([first, ...others]) => {
      if (first === undefined) return;
      const text = [first, ...others].map((each) => each.text).join(" ;\n");
      expect(splitStatements(text, dialect)).toHaveLength(others.length + 1);
      const used = new Set(first.uses);
      if (used.size !== Math.max(0, ...used)) return;
      checker.check(new Statement(first.text, [...used].fill(1)));
    }),
  );
});

test("for SQLite only parameters are rewritten, not similar text in quotes, names or comments", () => {
  for (const piece of inert.sqlite)
    expect(numberedPlaceholders(`SELECT ${piece} , $12`)).toBe(`SELECT ${piece} , ?12`);
});

test("for SQLite a parameter as limit gets COLLATE BINARY, which avoids recompiling the statement at each run", () => {
  expect(numberedPlaceholders("SELECT $1 LIMIT $2 OFFSET $3")).toBe(
    "SELECT ?1 LIMIT ?2 COLLATE BINARY OFFSET ?3",
  );
  expect(numberedPlaceholders("SELECT 1 limit -- of\n $1;")).toBe(
    "SELECT 1 limit -- of\n ?1 COLLATE BINARY;",
  );
  expect(numberedPlaceholders('SELECT "limit" = $1, $2 -- limit\n, $3')).toBe(
    'SELECT "limit" = ?1, ?2 -- limit\n, ?3',
  );
});

test.each(dialects)("%s: a text that ends within a quote or comment is one statement", (dialect) => {
  for (const text of ["SELECT 'a; b", 'SELECT "a; b', "SELECT /* a; b", "SELECT -- a; b"])
    expect(splitStatements(text, dialect)).toHaveLength(1);
});

test("on SQLite, an unclosed comment may follow a statement", async () => {
  const db = openDatabase({ url: "sqlite://:memory:" });
  expect(await db.query("SELECT 1 AS n; /* one")).toEqual([{ n: 1 }]);
  await expect(db.query("/* none")).rejects.toMatchObject({ code: "DATABASE_NOT_ONE_STATEMENT" });
  await db.close();
});

test("a carriage return ends a comment on PostgreSQL, and not on SQLite", () => {
  const text = "SELECT 1 --x\r; COMMIT";
  const refused = expect.objectContaining({ code: "DATABASE_TRANSACTION_CONTROL" });
  expect(() => new TextChecker("postgres").script(text)).toThrow(refused);
  expect(new TextChecker("sqlite").script(text)).toHaveLength(1);
});

const bodies: Readonly<Record<Dialect, readonly string[]>> = {
  sqlite: [
    "CREATE TRIGGER t AFTER INSERT ON a BEGIN UPDATE a SET x = CASE WHEN 1 THEN 2 END; DELETE FROM b; END",
    "CREATE TEMP TRIGGER IF NOT EXISTS t AFTER INSERT ON a BEGIN SELECT 1; END",
    "create temporary trigger t after insert on a begin select ';'; end",
  ],
  postgres: [
    "CREATE FUNCTION f() RETURNS int LANGUAGE sql AS $$ SELECT 1; SELECT 2; $$",
    "CREATE OR REPLACE PROCEDURE p() BEGIN ATOMIC INSERT INTO a VALUES (CASE WHEN true THEN 1 END); SELECT 2; END",
    "CREATE RULE r AS ON INSERT TO a DO (DELETE FROM b; DELETE FROM c)",
    "DO $do$ BEGIN PERFORM 1; END $do$",
  ],
};

test.each(dialects)(
  "%s: semicolons within the body of a trigger or function do not end a statement",
  (dialect) => {
    for (const body of bodies[dialect]) {
      const pieces = splitStatements(`SELECT 1; ${body};\n SELECT 2`, dialect);
      expect(pieces.map(({ text }) => text)).toEqual(["SELECT 1", body, "SELECT 2"]);
    }
  },
);

const controls = [
  ["BEGIN", "begin immediate", "START TRANSACTION READ ONLY", "COMMIT", "END", "End Transaction"],
  [
    "ROLLBACK",
    "ABORT",
    "SAVEPOINT a",
    "RELEASE a",
    "ROLLBACK TO a",
    "PREPARE TRANSACTION 'x'",
    "-- x\nCOMMIT",
  ],
].flat();

test.each(dialects)("%s: every statement that begins or ends a transaction is recognised", (dialect) => {
  const checker = new TextChecker(dialect);
  const code = expect.objectContaining({ code: "DATABASE_TRANSACTION_CONTROL" });
  for (const control of controls) {
    expect(() => checker.check(new Statement(control, []))).toThrow(code);
    expect(() => checker.script(`SELECT 1; ${control}`)).toThrow(code);
  }
  checker.script("PREPARE a AS SELECT 1; SELECT 'COMMIT'; CREATE TABLE commit_log (start INTEGER)");
});

test.each([
  ["postgres", 65_535],
  ["sqlite", 32_766],
] as const)("%s: a statement with more than %i values is refused", (dialect, max) => {
  const checker = new TextChecker(dialect);
  const statement = (count: number): Statement => {
    const placeholders = Array.from({ length: count }, (_, index) => `$${index + 1}`);
    return new Statement(
      `SELECT ${placeholders.join()}`,
      Array.from({ length: count }, () => 1),
    );
  };
  checker.check(statement(max));
  expect(() => checker.check(statement(max + 1))).toThrow(
    expect.objectContaining({
      code: "DATABASE_BAD_PARAMETERS",
      message: expect.stringContaining(`at most ${max} values`),
    }),
  );
});

test("SQLite's other forms of parameters are rejected", () => {
  const checker = new TextChecker("sqlite");
  for (const text of ["SELECT ?", "SELECT ?1", "SELECT :a", "SELECT @a", "SELECT $a", "SELECT $1a"])
    expect(() => checker.check(new Statement(text, [1]))).toThrow("parameters must be written $1, $2 …");
});

test("a long text of any content is read in linear time", () => {
  for (const dialect of dialects)
    for (const unit of ["'", "''", "/*", "$$", "$a$", "\\'", "[", "x ", "BEGIN ", ";", "-", "$1 "]) {
      const from = process.cpuUsage();
      splitStatements(unit.repeat(300_000 / unit.length), dialect);
      expect(process.cpuUsage(from).user / 1000).toBeLessThan(10_000); // quadratic time would be minutes
    }
});

test.each([
  "COPY books FROM STDIN",
  "copy books (id, title) from /* here */ stdin with (format csv)",
  "COPY (SELECT 1) TO STDOUT",
  "COPY (SELECT title FROM stdin) TO STDOUT (FORMAT csv)",
])("PostgreSQL's %s is refused before it is sent, in a script too", (text) => {
  const refused = expect.objectContaining({ code: "DATABASE_COPY" });
  const checker = new TextChecker("postgres");
  expect(() => checker.check(new Statement(text, []))).toThrow(refused);
  expect(() => checker.script(`SELECT 1; ${text}`)).toThrow(refused);
});

test("a COPY that only the server reads or writes passes", () => {
  const checker = new TextChecker("postgres");
  for (const text of [
    "COPY books FROM '/stdin'",
    "COPY (SELECT a FROM stdin) TO '/tmp/b'",
    "SELECT copy FROM stdin",
  ])
    expect(() => checker.check(new Statement(text, []))).not.toThrow();
});
