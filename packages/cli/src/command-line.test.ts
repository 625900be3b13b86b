import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { commands } from "./commands.ts";
import { commonOptions } from "./frame/command.ts";
import { runCli, runCliJson } from "./run-cli.test-kit.ts";

interface Mistakes {
  readonly code: string;
  readonly message: string;
  readonly problems: readonly { readonly code: string; readonly message: string }[];
}

test("without a command, all commands are listed", async () => {
  const { exitCode, out } = await runCli([]);
  expect(exitCode).toBe(0);
  for (const { name, summary } of commands) expect(out).toMatch(new RegExp(`^  ${name} +${summary}$`, "m"));
});

test.each(commands.map((command) => [command.name, command] as const))(
  "the help of %s has every argument, option, example and exit code",
  async (name, command) => {
    const { exitCode, out } = await runCli([name, "--help"]);
    expect(exitCode).toBe(0);
    for (const each of [...command.options, ...commonOptions]) {
      expect(out).toContain(`--${each.name}`);
      expect(out).toContain(each.summary);
    }
    for (const each of command.arguments) expect(out).toContain(each.summary);
    for (const example of command.examples) expect(out).toContain(`framework ${example}`);
    for (const code of ["0  success", `1  ${command.fails}`, "2  the command line is invalid"])
      expect(out).toContain(code);
    expect(await runCli(["help", name])).toEqual(await runCli([name, "-h"]));
    expect(command.examples.length).toBeGreaterThan(0);
  },
);

test.each(commands.map(({ name }) => name))("%s --help --json is the command as data", async (name) => {
  expect(await runCliJson([name, "--help"])).toMatchObject({ name, options: expect.any(Array) });
  expect(JSON.parse((await runCli(["--json", name, "--help"])).out)).toMatchObject({ name });
});

test.each([
  [["rotes"], 'there is no command "rotes"; did you mean routes?'],
  [["deploy-it"], 'there is no command "deploy-it"; framework --help lists all'],
  [["routes", "--methd", "GET"], 'routes has no option "--methd"; did you mean --method?'],
  [["routes", "a.ts", "b.ts"], 'routes does not take the argument "b.ts"'],
  [
    ["request", "GET", "/", "src/app.ts#createApp"],
    'request does not take the argument "src/app.ts#createApp"; name the module of the app with --app src/app.ts#createApp',
  ],
  [
    ["routes", "--app", "src/app.ts"],
    'routes has no option "--app"; name the module without it: framework routes src/app.ts',
  ],
  [["client", "src"], "src is a folder: name a file in it"],
  [["routes", "--method"], "--method needs a value"],
  [["routes", "--json=yes"], "--json takes no value"],
  [["request", "GET"], "request needs <path>: path with its query: /books?year=1999"],
  [
    ["request", "GET", "/", "--timeout", "soon"],
    '--timeout must be a number from 0.001 to 86400, not "soon"',
  ],
  [["request", "GET", "/", "--timeout=0"], '--timeout must be a number from 0.001 to 86400, not "0"'],
  [
    ["completion", "bsh"],
    'there is no completion for "bsh", only for bash, zsh and fish; did you mean bash?',
  ],
])("%j is a usage error with exit code 2", async (words, message) => {
  expect(await runCli(words, { cwd: join(import.meta.dirname, "..") })).toEqual({
    exitCode: 2,
    out: "",
    err: `error: ${message}\n`,
  });
});

test("--json without a command is the list of commands as data", async () => {
  const { commands: listed } = await runCliJson<{ commands: readonly { name: string }[] }>([]);
  expect(listed.map(({ name }) => name)).toEqual(commands.map(({ name }) => name));
});

test("with --json an error is JSON", async () => {
  const { exitCode, out, err } = await runCli(["rotes", "--json"]);
  expect([exitCode, err]).toEqual([2, ""]);
  expect(JSON.parse(out)).toEqual({
    error: { code: "CLI_USAGE", message: 'there is no command "rotes"; did you mean routes?' },
  });
});

test("with --json several problems have one combined message and one message each", async () => {
  const cwd = mkdtempSync(join(tmpdir(), "cli-"));
  const core = join(import.meta.dirname, "../../core/src/index.ts");
  const duplicateRoute = (path: string): string => `app.get("${path}", () => 1);\n`.repeat(2);
  writeFileSync(
    join(cwd, "app.ts"),
    `import { App } from ${JSON.stringify(core)};\nexport const app = new App();\n${duplicateRoute("/a")}${duplicateRoute("/b")}`,
  );
  const { error } = await runCliJson<{ error: Mistakes }>(["request", "GET", "/", "--app", "app.ts"], {
    cwd,
  });
  const { code, message, problems } = error;
  expect(problems.map(({ message: each }) => message.includes(each))).toEqual([true, true]);
  expect(problems[0]?.code).toBe(code);
});

test("control characters of an argument cannot control the terminal", async () => {
  const { err } = await runCli(["\u001b[2J\u009b31m\u202e"], {
    isTerminal: true,
    environment: { NO_COLOR: "1" },
  });
  expect(err).toContain("\\u001b[2J\\u{9b}31m\\u{202e}");
  expect(err.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
});

test("a terminal gets colours unless NO_COLOR or TERM=dumb is set; other outputs get none", async () => {
  const isColoured = async (isTerminal: boolean, environment: Record<string, string>) =>
    (await runCli(["--help"], { isTerminal, environment })).out.includes("\u001b[");
  expect(await isColoured(true, {})).toBe(true);
  expect(await isColoured(true, { NO_COLOR: "1" })).toBe(false);
  expect(await isColoured(true, { TERM: "dumb" })).toBe(false);
  expect(await isColoured(false, {})).toBe(false);
});

test("--version prints the version of the package", async () => {
  expect((await runCli(["--version"])).out).toMatch(/^framework \d+\.\d+\.\d+\n$/);
});
