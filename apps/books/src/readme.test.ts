import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { expect, test } from "@jest/globals";
import type { TestClient } from "@framework/testing";
import { startBooks } from "./start-books.test-kit.ts";

const readme = readFileSync(join(import.meta.dirname, "../README.md"), "utf8");

/** A command of the README, the status after its `#`, and the output in the block below it. */
interface Example {
  readonly command: string;
  readonly status: number;
  readonly printed: string;
}

const examples: readonly Example[] = Array.from(
  readme.matchAll(/```sh\n((?:head .*\| )?curl .*) # (\d{3})\n```\n\n```text\n(.*)\n```/g),
  ([, command = "", status, printed = ""]) => ({ command, status: Number(status), printed }),
);

/** Splits a command into words like a shell, with single quotes. */
const words = (command: string): string[] =>
  Array.from(command.matchAll(/'([^']*)'|(\S+)/g), ([, quoted, plain = ""]) => quoted ?? plain);

/** Sends the request of a curl command; flags that the README does not use are refused. */
const send = async (client: TestClient, command: string) => {
  const piped = /^head -c (\d+) \/dev\/zero \| /.exec(command);
  const [program, ...args] = words(command.slice(piped?.[0].length ?? 0));
  expect(program).toBe("curl");
  const { positionals, values } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      json: { type: "string" },
      request: { type: "string", short: "X" },
      silent: { type: "boolean", short: "s" },
      output: { type: "string", short: "o" },
      "write-out": { type: "string", short: "w" },
      "data-binary": { type: "string" },
      header: { type: "string", short: "H", multiple: true },
    },
  });
  const [target = ""] = positionals;
  const { pathname, search } = new URL(`http://${target}`);
  const method = values.request ?? (values.json === undefined && piped === null ? "GET" : "POST");
  const given = (values.header ?? []).map((line) => line.split(": ") as [name: string, value: string]);
  const kind =
    values.json === undefined
      ? { accept: "*/*" }
      : { accept: "application/json", "content-type": "application/json" };
  const headers = { ...kind, ...Object.fromEntries(given) };
  const content = piped === null ? values.json : new Uint8Array(Number(piped[1]));
  const body = content === undefined ? {} : { body: content };
  const reply = await client.request(method, pathname + search, { headers, ...body });
  const format = values["write-out"];
  const printed = format?.replaceAll(
    /%header\{([\w-]+)\}/g,
    (_, name: string) => reply.headers.get(name) ?? "",
  );
  return { status: reply.status, printed: printed ?? reply.text };
};

/** Dates and months depend on the day of the test. */
const undated = (printed: string): string =>
  printed.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "(date)").replaceAll(/"month":"\d{4}-\d\d"/g, '"month":""');

test("every curl command has a status and a block with its output", () => {
  expect(examples).toHaveLength([...readme.matchAll(/^(?:head .*\| )?curl /gm)].length);
});

test("every row of the table of routes has a command", () => {
  const asked = examples.map(({ command }) => {
    const method = /-X (\w+)/.exec(command)?.[1] ?? (command.includes("--json") ? "POST" : "GET");
    return `${method} ${/localhost:8000([/\w]+)/.exec(command)?.[1]?.replace(/\d+/, "{id}")}`;
  });
  const rows = Array.from(readme.matchAll(/^\| `([A-Z]+ \/\S*)` /gm), ([, row]) => row);
  expect(rows).toHaveLength(14);
  expect(rows.filter((row) => !asked.includes(row ?? ""))).toEqual([]);
});

test("the output of each command is that of the README", async () => {
  await using program = await startBooks({ DATABASE_URL: "sqlite://:memory:" });
  for (const { command, status, printed } of examples) {
    const reply = await send(program.client, command);
    expect([command, reply.status, undated(reply.printed)]).toEqual([command, status, undated(printed)]);
  }
});
