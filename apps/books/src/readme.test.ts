import { readFileSync } from "node:fs";
import { join } from "node:path";
import { clientFor, waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { type Shell, shellOn } from "./curl.test-kit.ts";
import { startBooks } from "./start-books.test-kit.ts";

const readme = readFileSync(join(import.meta.dirname, "../README.md"), "utf8");
const devPage = /^## The dev page\n(.*?)^## /ms.exec(readme)?.[1] ?? "";
const signingIn = /^## Signing in\n(.*?)^## /ms.exec(readme)?.[1] ?? "";

/** A command of the README, the status after its `#`, and the output in the block below it. */
interface Example {
  readonly command: string;
  readonly status: number;
  readonly output: string;
}

const examplesOf = (text: string): readonly Example[] =>
  Array.from(
    text.matchAll(/```sh\n((?:head .*\| )?curl .*) # (\d{3})\n```\n\n```text\n(.*)\n```/g),
    ([, command = "", status, output = ""]) => ({ command, status: Number(status), output }),
  );

const examples = examplesOf(readme);

/** Replaces dates, months and random ids, which differ in each run. */
const normalizeOutput = (output: string): string =>
  output
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "(date)")
    .replaceAll(/"month":"\d{4}-\d\d"/g, '"month":""')
    .replaceAll(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g, "(id)");

const expectOutputs = async (shell: Shell, expected: readonly Example[]): Promise<void> => {
  for (const { command, status, output } of expected) {
    const reply = await shell.curl(command);
    expect([command, reply.status, normalizeOutput(reply.output)]).toEqual([
      command,
      status,
      normalizeOutput(output),
    ]);
  }
};

test("every curl command has a status and a block with its output", () => {
  expect(examples).toHaveLength([...readme.matchAll(/^(?:head .*\| )?curl /gm)].length);
});

test("every row of the table of routes has a command", () => {
  const lines = [...examples.map(({ command }) => command), ...(readme.match(/^TOKEN=.*$/gm) ?? [])];
  const requested = lines.map((command) => {
    const method = /-X (\w+)/.exec(command)?.[1] ?? (command.includes("--json") ? "POST" : "GET");
    return `${method} ${/localhost:8000([/\w]+)/.exec(command)?.[1]?.replace(/\/\d+/, "/{id}")}`;
  });
  const rows = Array.from(readme.matchAll(/^\| `([A-Z]+ \/\S*)` /gm), ([, row]) => row);
  expect(rows).toHaveLength(20);
  expect(rows.filter((row) => !requested.includes(row ?? ""))).toEqual([]);
});

test("each command prints the output in the README", async () => {
  await using program = await startBooks({ DATABASE_URL: "sqlite://:memory:" });
  await expectOutputs(
    shellOn(program.client),
    examplesOf(readme.replace(signingIn, "").replace(devPage, "")),
  );
});

test("each command about the dev page prints the output in the README", async () => {
  await using program = await startBooks({
    DATABASE_URL: "sqlite://:memory:",
    BOOKS_DEVTOOLS_PORT: "0",
    BOOKS_DATABASE_SECS: "60", // so that a circuit stays open long enough
  });
  const link = /http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]+/;
  await waitFor(() => link.test(program.output()), { subject: "the link", timeoutMs: 60_000 });
  const { origin, hash } = new URL(link.exec(program.output())?.[0] ?? "");
  await using page = clientFor(origin);
  const [service, onPage] = [shellOn(program.client), shellOn(page)];
  onPage.set("TOKEN", hash.slice("#token=".length));
  for (const example of examplesOf(devPage))
    await expectOutputs(example.command.includes("localhost:9229") ? onPage : service, [example]);
});

test("with a secret each command about signing in prints the output in the README", async () => {
  const password = /BOOKS_PASSWORD='(.*)'/.exec(signingIn)?.[1];
  const [, tokenCommand = "", field] = /^TOKEN=\$\((.*) \| cut -d '"' -f (\d)\)$/m.exec(signingIn) ?? [];
  expect(signingIn).toContain(`csrf() { awk '$6 == "_csrf" { print $7 }' jar; }`); // the shell of the test implements this
  await using program = await startBooks({
    DATABASE_URL: "sqlite://:memory:",
    BOOKS_SECRET: "0123456789abcdef0123456789abcdef",
    BOOKS_PASSWORD: password,
  });
  const shell = shellOn(program.client);
  shell.set("TOKEN", (await shell.curl(tokenCommand)).output.split('"')[Number(field) - 1] ?? "");
  await expectOutputs(shell, examplesOf(signingIn));
});
