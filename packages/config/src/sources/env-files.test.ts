import { mkdtempDisposableSync, mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { configSources, integer, optional, readConfig, secret, text } from "../index.ts";
import { problemsOf } from "../read-config.test-kit.ts";

/** A folder with these files, removed at the end of the test. */
const folderWith = (files: Record<string, string | Uint8Array>) => {
  const folder = mkdtempDisposableSync(join(tmpdir(), "config-"));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder.path, name), content);
  return folder;
};

const names = ["A", "B", "C", "D", "E"] as const;
const shape = Object.fromEntries(names.map((name) => [name, text(name, { default: "default" })]));

test("precedence is the environment, .env.local, .env.<mode>, .env, the default; empty values are ignored", () => {
  using folder = folderWith({
    ".env": "A=base\nB=base\nC=base\nD=base",
    ".env.staging": "A=mode\nB=mode\nC=mode\nD=",
    ".env.local": "A=local\nB=local\nC=",
    ".env.production": "A=other",
  });
  const env = { A: "real", FRAMEWORK_ENV: "staging" };
  const config = readConfig(shape, { env, folder: folder.path });
  expect(config).toEqual({ A: "real", B: "local", C: "mode", D: "base", E: "default" });
  expect(configSources(config).map(({ source }) => source)).toEqual([
    "environment",
    ".env.local",
    ".env.staging",
    ".env",
    "default",
  ]);
});

test("a given environment is the only source, unless a folder is given", () => {
  using folder = folderWith({ ".env": "A=file" });
  expect(readConfig(shape, { env: {} })["A"]).toBe("default");
  expect(readConfig(shape, { env: {}, folder: folder.path, mode: "test" })["A"]).toBe("file");
  expect(readConfig(shape, { folder: null })["E"]).toBe("default");
});

test("malformed lines are reported with file and line", () => {
  using folder = folderWith({ ".env": 'A="two\nlines"\nB\n# comment\nB=1\nB=2\nexport C=\'open\n' });
  expect(problemsOf(shape, { env: {}, folder: folder.path })).toEqual([
    "CONFIG_BAD_FILE: .env, line 3 is not NAME=value, a comment or empty: correct the line",
    "CONFIG_BAD_FILE: .env, line 6 sets B again, after line 5: correct the line",
    "CONFIG_BAD_FILE: .env, line 7 opens a quote for C that never closes: correct the line",
  ]);
});

test.each([
  ["A=pa#ss", "begins a comment within the value of A (quote the value, or put a space before the #)"],
  ["A=#fff", "begins a comment within the value of A (quote the value, or put a space before the #)"],
  ['A="x" y', "has text after the closing quote of A"],
  ["A='it''s'", "has text after the closing quote of A"],
  [String.raw`A="a\"b"`, "has text after the closing quote of A"],
  ['A="a\nb" c', "has text after the closing quote of A"],
])("a value that Node would truncate is a problem: %j", (content, problem) => {
  using folder = folderWith({ ".env": `${content}\nB=b` });
  expect(problemsOf(shape, { env: {}, folder: folder.path })).toEqual([
    `CONFIG_BAD_FILE: .env, line 1 ${problem}: correct the line`,
  ]);
});

test("a comment after a value and a # in quotes are accepted", () => {
  using folder = folderWith({ ".env": "A=a # it's\nB='b#b' # b\nC= # empty\nD=\"d\"#d\nE=`e\n#e`" });
  const config = readConfig(shape, { env: {}, folder: folder.path });
  expect(config).toEqual({ A: "a", B: "b#b", C: "default", D: "d", E: "e\n#e" });
});

test("a refused value names its file and line, even after a value of several lines", () => {
  using folder = folderWith({ ".env": '\uFEFFTEXT="a\nb"\r\nPORT=many\r\n' });
  const port = { port: integer("PORT"), text: text("TEXT") };
  expect(problemsOf(port, { env: {}, folder: folder.path })).toEqual([
    'CONFIG_INVALID: PORT must be a whole number of at least 0, but is "many" (.env, line 3)',
  ]);
});

test("any near name in a .env file is reported", () => {
  using folder = folderWith({ ".env": "PROT=1\nCOMPOSE_PROJECT_NAME=x" });
  expect(problemsOf({ port: integer("PORT", { default: 1 }) }, { env: {}, folder: folder.path })).toEqual([
    "CONFIG_MISSPELT: PROT (.env, line 1) is not a setting: did you mean PORT? Correct the name, or list it in ignore",
  ]);
});

test("a mode that could leave the folder is refused", () => {
  const [problem] = problemsOf(shape, { env: {}, folder: tmpdir(), mode: "../x" });
  expect(problem).toMatch(/^CONFIG_BAD_MODE: the mode "..\/x" must be a word/);
});

test("a .env file that is too large, not UTF-8 or a folder is refused", () => {
  using folder = folderWith({ ".env": "#".repeat(65_537), ".env.local": new Uint8Array([65, 61, 0xff]) });
  mkdirSync(join(folder.path, ".env.test"));
  expect(problemsOf(shape, { env: {}, folder: folder.path, mode: "test" })).toEqual([
    "CONFIG_BAD_FILE: .env.local is not UTF-8: correct or remove it",
    "CONFIG_BAD_FILE: .env.test is not a regular file: correct or remove it",
    "CONFIG_BAD_FILE: .env is larger than 65536 bytes: correct or remove it",
  ]);
});

test("the value of a _FILE variable is the file's text without one trailing newline", () => {
  using folder = folderWith({ token: "abc\n\n", port: "80\r\n" });
  const env = { TOKEN_FILE: join(folder.path, "token"), PORT_FILE: "port" };
  const files = { token: secret("TOKEN"), port: integer("PORT") };
  const config = readConfig(files, { env, folder: folder.path });
  expect([config.token.reveal(), config.port]).toEqual(["abc\n", 80]);
  expect(configSources(config)).toEqual([
    { name: "TOKEN", source: "TOKEN_FILE (environment)", shown: "[redacted]" },
    { name: "PORT", source: "PORT_FILE (environment)", shown: '"80"' },
  ]);
});

test("a variable and its _FILE variable in one source are a problem; across sources the first takes precedence", () => {
  using folder = folderWith({ token: "of the file", ".env": "TOKEN=of .env" });
  const token = { token: optional(text("TOKEN")) };
  const env = { TOKEN_FILE: "token" };
  expect(readConfig(token, { env, folder: folder.path })).toEqual({ token: "of the file" });
  expect(problemsOf(token, { env: { ...env, TOKEN: "x" }, folder: folder.path })).toEqual([
    "CONFIG_TWO_SOURCES: TOKEN and TOKEN_FILE are both set (the environment): remove one of them",
  ]);
});

test("a _FILE variable without a usable file is a problem, even for optional settings", () => {
  using folder = folderWith({ empty: "\n", large: "x".repeat(65_537) });
  const shapeOfFiles = { a: optional(text("A")), b: optional(text("B")), c: optional(text("C")) };
  const env = { A_FILE: "gone", B_FILE: "empty", C_FILE: "large" };
  expect(problemsOf(shapeOfFiles, { env, folder: folder.path })).toEqual([
    "CONFIG_BAD_FILE: the file of A_FILE (the environment) does not exist: correct gone",
    "CONFIG_BAD_FILE: the file of B_FILE (the environment) is empty: correct empty",
    "CONFIG_BAD_FILE: the file of C_FILE (the environment) is larger than 65536 bytes: correct large",
  ]);
});
