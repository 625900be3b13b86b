import { type Requirement, requirements } from "./requirements.ts";
import { wireTables } from "./suite.ts";
import type { WireRow } from "./wire-row.ts";

/** Returns the rows of the wire tables that prove a requirement, by the title of their table. */
export const rowsOf = ({ rows = [] }: Requirement): ReadonlyMap<string, readonly WireRow[]> =>
  new Map(
    rows.map(([title, names]) => {
      const table = wireTables.find((each) => each.title === title);
      return [title, table?.rows.filter(({ name }) => names.test(name)) ?? []];
    }),
  );

const SHOWN_ROWS = 2;

/** Returns the text of RFC9112.md: the requirements of the standard, the server's behaviour, and the tests that prove it. */
export const renderTable = (): string => {
  const count = wireTables.reduce((sum, { rows }) => sum + rows.length, 0);
  return `# RFC 9112 and related standards: requirements and tests

Both transports, \`fast\` (the framework's HTTP/1.1 path, with \`node:http\` as fallback) and \`node\` (\`node:http\` alone), pass the same tests for the same requirements.

- **Rows** are exact bytes with the required replies: ${count} of them in ${wireTables.length} tables in \`src/rfc9112\`. Each one is sent whole, byte by byte (unless it has 2,000 bytes or more) and split at random
  to each transport, followed by a valid request: \`<table>: answers each row as listed and runs no smuggled request, sent <way>\`. Every row belongs to a requirement.
- **Tests** are the names of additional tests in \`src\`, run on each transport.
- **More lenient** is input that llhttp, the parser of \`node:http\`, accepts beyond the requirement. It changes neither where a message ends nor what the app sees. The framework's
  parser accepts none of it and hands such messages over to \`node:http\`; random traffic is compared with an independent parser that has exactly these exceptions.

This page is generated from \`src/rfc9112/requirements.ts\` by \`node --conditions=@framework/source src/rfc9112/main.ts\`; a test compares the two.

| Section | Requirement | Behaviour | Rows | Tests | fast, node | More lenient |
| --- | --- | --- | --- | --- | --- | --- |
${requirements.map(asLine).join("\n")}

## Random traffic

Valid and invalid messages are generated from a grammar, mutated and split anywhere. Both transports must pass the same requests to their apps and the same replies to their clients. An
independent parser of the standard must agree with each transport and with the framework's parser. The tests open 250 connections for each of the first three comparisons below
(\`FRAMEWORK_FUZZ_CONNECTIONS\`), and ten times as many for the last, which needs no sockets.
\`node --conditions=@framework/source src/fuzz/main.ts --minutes 60 --seed 1\` runs longer and prints a minimal reproduction of each difference, which \`--replay\` runs again.
Permitted differences are listed with their reasons in \`src/fuzz/accepted-differences.ts\`; all cases ever found are kept in \`src/fuzz/found-cases.ts\`.

Last one-hour run, 2026-11-21, Node 26.10.0, seed 20261121: 10.8 million connections with 9.2 million whole messages, 15.3 GiB.

| Compared | Connections | Whole messages | Differences | Accepted differences |
| --- | --- | --- | --- | --- |
| fast and node | 1,179,819 | 1,002,014 | 1, a race between the comparison and its client | 1,552 |
| fast and standard | 1,235,237 | 1,048,853 | 0 | none |
| node and standard | 1,236,366 | 1,049,901 | 0 | none |
| framework's parser and standard | 7,152,740 | 6,076,508 | 0 | none |
`;
};

const asLine = (requirement: Requirement): string => {
  const { section, level, text, behaviour, tests = [], lenient = "" } = requirement;
  const rows = [...rowsOf(requirement)].map(([title, found]) => `${title}: ${summarize(found)}`);
  const titles = tests.map((name) => `“${name.replaceAll(/\$\{\w+\}|%s/g, "…")}”`);
  const cells = [text, behaviour, rows.join("; "), titles.join("; "), "yes, yes", lenient].map(asCell);
  return `| ${section} | **${level}** ${cells.join(" | ")} |`;
};

const summarize = (rows: readonly WireRow[]): string => {
  const names = rows
    .slice(0, SHOWN_ROWS)
    .map(({ name }) => `“${name.length > 60 ? `${name.slice(0, 60)}…` : name}”`);
  return `${rows.length} (${names.join(", ")}${rows.length > SHOWN_ROWS ? ", …" : ""})`;
};

const asCell = (text: string): string =>
  text.replaceAll(/[*|\\]/g, String.raw`\$&`).replaceAll(/\p{Cc}/gu, "�");
