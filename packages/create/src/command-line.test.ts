import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { scratchFolder } from "./scratch-folder.test-kit.ts";
import { commandLine, type CommandLineOptions } from "./command-line.ts";

const runCommandLine = async (words: readonly string[], cwd: string, options: CommandLineOptions = {}) => {
  let [out, err] = ["", ""];
  const write = (text: string): void => void (out += text);
  const writeError = (text: string): void => void (err += text);
  const exitCode = await commandLine(words, { write, writeError, cwd, ...options });
  return { exitCode, out, err };
};

test("prints the tree and the two next commands", async () => {
  using scratch = scratchFolder();
  const { exitCode, out, err } = await runCommandLine(["notes", "--variant", "minimal"], scratch.path);
  expect([exitCode, err]).toEqual([0, ""]);
  expect(out).toBe(`notes/
  .gitignore
  README.md
  package.json
  src/
    app.test.ts
    app.ts
    main.ts
  tsconfig.json

Next:
  cd notes && npm install
  npm run dev
`);
});

test("without a terminal and a name the command does not prompt, and writes my-service", async () => {
  using scratch = scratchFolder();
  expect((await runCommandLine([], scratch.path)).exitCode).toBe(0);
  expect(existsSync(join(scratch.path, "my-service/Dockerfile"))).toBe(true);
});

test("on a terminal the command prompts only for the name; an empty answer selects the default, --yes disables the prompt", async () => {
  using scratch = scratchFolder();
  const questions: string[] = [];
  const ask = async (question: string): Promise<string> => {
    questions.push(question);
    return questions.length === 1 ? " notes " : "";
  };
  const prompt = { ask };
  await runCommandLine([], scratch.path, prompt);
  await runCommandLine([], scratch.path, prompt);
  await runCommandLine(["books"], scratch.path, prompt);
  expect((await runCommandLine(["--yes"], scratch.path, prompt)).exitCode).toBe(1); // my-service exists already
  expect(readdirSync(scratch.path).sort()).toEqual(["books", "my-service", "notes"]);
  expect(questions).toEqual(["Name of the service (my-service): ", "Name of the service (my-service): "]);
});

test("--json prints one value, even for errors", async () => {
  using scratch = scratchFolder();
  const written = JSON.parse(
    (await runCommandLine(["notes", "--json", "--variant=minimal"], scratch.path)).out,
  );
  expect(written).toMatchObject({
    name: "notes",
    variant: "minimal",
    folder: join(scratch.path, "notes"),
    next: ["cd notes && npm install", "npm run dev"],
  });
  const again = await runCommandLine(["notes", "--json"], scratch.path);
  expect([again.exitCode, again.err]).toEqual([1, ""]);
  expect(JSON.parse(again.out)).toMatchObject({ error: { code: "CREATE_NOT_EMPTY" } });
  expect(JSON.parse((await runCommandLine(["--help", "--json"], scratch.path)).out).usage).toContain(
    "--variant",
  );
});

test.each([
  [["--varient", "full"], "did you mean --variant?"],
  [["--jsn"], "did you mean --json?"],
  [["--variant", "mini"], "--variant must be full or minimal"],
  [["--variant", "ful"], "did you mean full?"],
  [["--variant"], "--variant needs a value"],
  [["--yes=no"], "--yes takes no value"],
  [["my", "service"], "a name has no spaces"],
  [["My_Service"], "cannot name a service"],
])("%j ends with exit code 2 and writes nothing", async (words, message) => {
  using scratch = scratchFolder();
  const { exitCode, out, err } = await runCommandLine(words, scratch.path);
  expect([exitCode, out, err]).toEqual([2, "", expect.stringContaining(message)]);
  expect(readdirSync(scratch.path)).toEqual([]);
});

test("--help names every option and writes nothing", async () => {
  using scratch = scratchFolder();
  const { exitCode, out } = await runCommandLine(["notes", "-h"], scratch.path);
  for (const option of ["--variant full", "--variant minimal", "--yes", "--json", "--help"])
    expect(out).toContain(option);
  expect([exitCode, readdirSync(scratch.path)]).toEqual([0, []]);
});
