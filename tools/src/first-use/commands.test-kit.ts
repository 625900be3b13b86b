import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import type { Rehearsal } from "../releases/rehearse.ts";

/** Result of a command line of `framework`. */
interface CommandResult {
  readonly exitCode: number;
  readonly out: string;
}

interface Described {
  readonly name: string;
  readonly summary: string;
  readonly options: readonly { readonly name: string }[];
}

/** A command line for each command, run in a created service, with its allowed exit codes and a part of its JSON output. */
const cases: readonly (readonly [words: readonly string[], exitCodes: readonly number[], data: object])[] = [
  [["new", "made", "--variant", "minimal"], [0], { name: "made" }],
  [["dev", "missing.ts"], [1], { error: { code: "CLI_NO_SERVICE" } }], // only the error: the first-use test has run `dev`
  [["routes"], [0], { routes: expect.arrayContaining([expect.objectContaining({ path: "/notes/count" })]) }],
  [["request", "GET", "/notes/count"], [0], { status: 200 }],
  [["explain", "GET", "/notes"], [0], { status: 200 }],
  [["explain", "RATE_LIMIT_EXCEEDED"], [0], { package: "@framework/rate-limit" }],
  [["doctor"], [0], { findings: [], program: "src/main.ts" }],
  [["client", "src/api-client.ts", "--check"], [0], { isCurrent: true }],
  [["load", "/notes", "--start", "20", "--max", "20", "--secs", "0.5"], [0, 1], { request: "GET /notes" }], // 1 on a busy machine
  [["drain", "--program", "missing.ts"], [1], { error: { code: "CLI_NO_SERVICE" } }], // only the error: the first-use test has run `drain`
  [["migrate", "--dry-run"], [0], { dryRun: true }],
  [["parked", "list"], [1], { error: { code: "CLI_NO_FEATURE" } }],
  [["jobs"], [1], { error: { code: "CLI_NO_FEATURE" } }],
  [["topology"], [1], { error: { code: "CLI_NO_FEATURE" } }],
  [["sagas", "list"], [1], { error: { code: "CLI_NO_FEATURE" } }],
  [["projections"], [1], { error: { code: "CLI_NO_FEATURE" } }],
  [["upgrade", "--dry-run"], [0], { upgraded: [], held: [] }],
  [["completion", "fish"], [0], { shell: "fish" }],
];

/** Runs command lines with the installed package in one process. */
const PROGRAM = `import { commandLine } from "@framework/cli";

const done = [];
for (const words of JSON.parse(process.argv[2])) {
  let out = "";
  const exitCode = await commandLine(words, { write: (text) => (out += text), writeError: (text) => (out += text) });
  done.push({ exitCode, out });
}
process.stdout.write(JSON.stringify(done), () => process.exit());
`;

/** Registers the tests of every command of the program that plain npm has installed in a project. */
export const testCommands = (project: string, rehearsal: () => Rehearsal, limitMs: number): void => {
  const all = (lines: readonly (readonly string[])[]): readonly CommandResult[] => {
    const out = rehearsal().run(project, "node", "commands.mjs", JSON.stringify(lines));
    return JSON.parse(out) as CommandResult[];
  };

  test(
    "every command of the installed program works, with --help, --json, exit codes and completion",
    () => {
      writeFileSync(join(project, "commands.mjs"), PROGRAM);
      const listed = rehearsal().run(project, "npx", "framework", "--help", "--json");
      const { commands } = JSON.parse(listed) as { commands: Described[] };
      expect(new Set(cases.map(([[name]]) => name))).toEqual(new Set(commands.map(({ name }) => name)));

      const helps = all(commands.map(({ name }) => [name, "--help"]));
      const mistakes = all(commands.map(({ name }) => [name, "--no-such-option", "--json"]));
      const scripts = all(["bash", "zsh", "fish"].map((shell) => ["completion", shell]));
      for (const [at, { name, summary, options }] of commands.entries()) {
        for (const part of [`Usage: framework ${name}`, summary, "--json", "--help", "Exit codes:"])
          expect([name, helps[at]]).toEqual([name, { exitCode: 0, out: expect.stringContaining(part) }]);
        for (const option of options) expect(helps[at]?.out).toContain(`--${option.name}`);
        expect([name, mistakes[at]?.exitCode, JSON.parse(mistakes[at]?.out ?? "")]).toEqual([
          name,
          2,
          { error: { code: "CLI_USAGE", message: expect.stringContaining("--no-such-option") } },
        ]);
        for (const { out } of scripts) expect(out).toMatch(new RegExp(`\\b${name}\\b`));
      }

      const done = all(cases.map(([words]) => [...words, "--json"]));
      for (const [at, [words, exitCodes, data]] of cases.entries()) {
        const { exitCode = -1, out = "" } = done[at] ?? {};
        expect([words, JSON.parse(out)]).toMatchObject([words, data]);
        expect([words, exitCodes]).toEqual([words, expect.arrayContaining([exitCode])]);
      }
    },
    limitMs,
  );
};
