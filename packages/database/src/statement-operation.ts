import type { OperationDefinition } from "@framework/core/feature";
import type { Statement } from "./statement.ts";

/** Defines operations of the kind `db` for statements. They have the text, but never parameters or rows. */
export const statementOperation = (dialect: "sqlite" | "postgres"): OperationDefinition<Statement> => ({
  kind: "db",
  role: "client",
  describe: ({ text }) => {
    const name = keywordOf(text);
    const system = dialect === "postgres" ? "postgresql" : dialect;
    const attributes = { "db.system.name": system, "db.operation.name": name, "db.query.text": text };
    return { name, attributes };
  },
});

/** Keywords used as names; a fixed list bounds their number. */
const keywords: ReadonlySet<string> = new Set(
  "SELECT INSERT UPDATE DELETE WITH MERGE VALUES CREATE ALTER DROP TRUNCATE PRAGMA EXPLAIN VACUUM ANALYZE LOCK SET SHOW CALL COPY".split(
    " ",
  ),
);

const keywordOf = (text: string): string => {
  const [, word = ""] = /^[\s(]*([a-z]+)/i.exec(text) ?? [];
  const keyword = word.toUpperCase();
  return keywords.has(keyword) ? keyword : "OTHER";
};
