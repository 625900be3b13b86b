// Above 250 lines: every command runs on one service, which is bundled once.
import { globSync, mkdtempDisposableSync, readFileSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { bundledProgram } from "@framework/bundled-sources";
import { commandLine } from "@framework/cli";
import type { ErrorEntry } from "@framework/core/feature";
import { beforeAll, expect, test } from "@jest/globals";
import { booksErrors } from "./error-codes.ts";

const cwd = join(import.meta.dirname, "..");
const readme = readFileSync(join(cwd, "README.md"), "utf8");
const START = "pnpm --filter @framework/books framework ";
const program = bundledProgram(join(import.meta.dirname, "main.ts"));

/** A short ramp of 2 and 3 requests per second, which even a busy machine sustains. */
const quickLoad = ["--program", program, "--secs", "1", "--start", "2", "--max", "3", "--p99", "20000"];
const quickDrain = ["--program", program, "--after", "0.3", "--rate", "200"];

beforeAll(() => {
  // Commands that load the app in this process read its settings from here.
  for (const name of ["REDIS_URL", "KAFKA_BROKERS", "AMQP_URL", "SQS_ENDPOINT"]) delete process.env[name];
  process.env["DATABASE_URL"] = "sqlite://:memory:";
});

const runCommand = async (words: readonly string[], variables: Readonly<Record<string, string>> = {}) => {
  let out = "";
  const write = (text: string): void => void (out += text);
  const environment = {
    PATH: process.env["PATH"],
    NODE_OPTIONS: "--conditions=@framework/source",
    DATABASE_URL: "sqlite://:memory:",
    ...variables,
  };
  const exitCode = await commandLine(words, { cwd, environment, write, writeError: write });
  return { exitCode, out };
};

const runJson = async <T>(words: readonly string[], variables: Readonly<Record<string, string>> = {}) => {
  const { exitCode, out } = await runCommand([...words, "--json"], variables);
  return { exitCode, ...(JSON.parse(out) as T) };
};

/** Returns the first successful one of three runs, or the last: a busy machine may delay the replies or connections of a run. */
const firstSuccess = async <T>(run: () => Promise<T>, isSuccess: (result: T) => boolean): Promise<T> => {
  let result = await run();
  for (let runs = 1; runs < 3 && !isSuccess(result); runs++) result = await run();
  return result;
};

/** Returns the README's example of a command: its arguments, and the normalized lines of its output. */
const exampleOf = (
  command: string,
): { readonly words: readonly string[]; readonly lines: readonly string[] } => {
  const examples = readme.matchAll(/```sh\n(.*)\n```\n\n```text\n([^]*?)\n```/g);
  for (const [, line = "", text = ""] of examples) {
    const [, words = ""] = line.split(START);
    if (words.startsWith(command)) return { words: words.split(" "), lines: normalizeOutput(text) };
  }
  throw new Error(`the README has no example of ${command}`);
};

/** Returns the lines with 0 for every number and two spaces between columns, because both depend on the machine. */
const normalizeOutput = (text: string): readonly string[] =>
  text
    .trim()
    .split("\n")
    .map((line) =>
      line
        .trim()
        .replaceAll(/\s{2,}/g, "  ")
        .replaceAll(/\d+(?:\.\d+)?/g, "0"),
    );

test.each(["explain BOOKS_ON_LOAN", "explain GET", "client", "doctor"])(
  "%s prints what the README shows",
  async (command) => {
    const { words, lines } = exampleOf(command);
    const { exitCode, out } = await runCommand(words);
    expect(normalizeOutput(out)).toEqual(lines);
    expect(exitCode).toBe(0);
  },
);

const login = { BOOKS_SECRET: "planted-secret-of-the-service-0000", BOOKS_PASSWORD: "planted-password" };
const json = ["-H", "content-type: application/json"];

test.each([
  [["POST", "/session", "-d", '{"user":"planted-user","password":"planted-guess"}', ...json], 403],
  [["POST", "/token", "-d", '{"user":"planted-user","password":"planted-guess"}', ...json], 401],
  [
    [
      "POST",
      "/books",
      "-d",
      '{"title":"Emma","year":"planted-year"}',
      ...json,
      "-H",
      "authorization: Bearer planted.token.x",
    ],
    401,
  ],
  [
    [
      "POST",
      "/books",
      "-d",
      '{"title":"Emma"}',
      ...json,
      "-H",
      "cookie: session_id=planted-id; _csrf=planted-csrf",
    ],
    403,
  ],
  [["GET", "/books?genre=planted-genre", "-H", "x-api-key: planted-key"], 200],
  [["GET", "/static/books.js", "-H", "cookie: session_id=planted-id"], 200],
] as const)(
  "every step in the explanation of %s has a reason, and none contains a secret",
  async ([...words], status) => {
    Object.assign(process.env, login);
    try {
      const { out } = await runCommand(["explain", ...words, "--json"]);
      const explained = JSON.parse(out) as Explanation;
      expect(explained.status).toBe(status);
      expect(explained.steps).not.toEqual([]);
      expect(explained.steps.filter(({ reasons }) => reasons.join("") === "")).toEqual([]);
      expect(out).not.toContain("planted");
    } finally {
      for (const name of Object.keys(login)) delete process.env[name];
    }
  },
);

test("explain lists every code of the service, and the README's table equals the catalogue", async () => {
  const { codes } = await runJson<{ codes: readonly ListedCode[] }>(["explain"]);
  const own = codes.filter(({ package: name }) => name === "@framework/books");
  expect(own.map(({ code }) => code)).toEqual(
    Object.keys(booksErrors).sort((one, other) => one.localeCompare(other)),
  );
  const rows = Array.from(readme.matchAll(/^\| `(BOOKS_\w+)` +\| (\d*) *\| (.*?) +\| (.*?) +\|$/gm));
  expect(
    rows.map(([, code, status, summary, action]) => [
      code,
      status === "" ? null : Number(status),
      summary,
      action,
    ]),
  ).toEqual(
    Object.entries<ErrorEntry>(booksErrors).map(([code, { status = null, summary, action }]) => [
      code,
      status,
      summary,
      action,
    ]),
  );
});

test("every code that the sources throw is in the catalogue", () => {
  const thrown = globSync("src/**/*.ts", { cwd }).flatMap((file) =>
    Array.from(readFileSync(join(cwd, file), "utf8").matchAll(/code: "(BOOKS_\w+)"/g), ([, code]) => code),
  );
  expect(thrown).toContain("BOOKS_INVALID_REBUILD");
  expect(thrown.filter((code) => !Object.hasOwn(booksErrors, code ?? ""))).toEqual([]);
});

test("a misspelt code has the nearest one as a hint", async () => {
  const { exitCode, out } = await runCommand(["explain", "BOOKS_ONLOAN"]);
  expect([exitCode, out]).toEqual([1, expect.stringContaining("did you mean BOOKS_ON_LOAN?")]);
});

test("the drift check fails when the client differs from the document, and writes nothing", async () => {
  const { words } = exampleOf("client");
  const client = join(cwd, words[1] ?? "");
  const before = readFileSync(client, "utf8");
  using folder = mkdtempDisposableSync(join(tmpdir(), "books-"));
  const document = join(folder.path, "changed.json");
  writeFileSync(
    document,
    JSON.stringify({ openapi: "3.1.0", info: { title: "Books", version: "2" }, paths: {} }),
  );
  const { exitCode, out } = await runCommand(["client", client, "--document", document, "--check"]);
  expect([exitCode, out]).toEqual([1, expect.stringContaining("differs")]);
  expect(readFileSync(client, "utf8")).toBe(before);
});

test("doctor finds a short secret and a pod that is killed before its drain ends, and its exit code is 1", async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "books-"));
  writeFileSync(join(folder.path, "deployment.yaml"), deployment);
  const variables = { BOOKS_SECRET: "short-secret", BOOKS_PASSWORD: "a-password" };
  let out = "";
  const exitCode = await commandLine(["doctor", program, "--json"], {
    cwd: folder.path,
    environment: { PATH: process.env["PATH"], DATABASE_URL: "sqlite://:memory:", ...variables },
    write: (text) => void (out += text),
  });
  const { findings } = JSON.parse(out) as { findings: readonly { readonly code: string }[] };
  expect([exitCode, findings.map(({ code }) => code)]).toEqual([
    1,
    ["AUTH_SHORT_SECRET", "CLI_NO_PROBE", "CLI_SHORT_GRACE"],
  ]);
});

test("doctor finds nothing in a service whose writes are protected", async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "books-"));
  const variables = { BOOKS_SECRET: "0123456789abcdef".repeat(3), BOOKS_PASSWORD: "a-password" };
  let out = "";
  const exitCode = await commandLine(["doctor", program, "--json"], {
    cwd: folder.path,
    environment: { PATH: process.env["PATH"], DATABASE_URL: "sqlite://:memory:", ...variables },
    write: (text) => void (out += text),
  });
  expect([exitCode, JSON.parse(out)]).toEqual([0, expect.objectContaining({ findings: [] })]);
});

test("load reports capacity, heap, event loop delay and workers; a ramp that ends within the limits is no regression", async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "books-"));
  const history = join(folder.path, "history.json");
  const machine = cpus()[0]?.model ?? "unknown";
  const usual = { at: "", request: "GET /books", machine, capacity: 1000, p99Ms: 1 };
  const { words, lines } = exampleOf("load");
  const measure = async () => {
    writeFileSync(history, JSON.stringify([usual]));
    return runCommand([...words, ...quickLoad, "--history", history]);
  };
  const capacity = "capacity of one worker: 3 requests/s (the rate at which the ramp ends)";
  const { exitCode, out } = await firstSuccess(measure, ({ out: text }) => text.includes(capacity));
  const [head = "", ...printed] = normalizeOutput(out);
  const rows = out.slice(0, out.indexOf("\n\n")).split("\n").slice(1).map(cellsOf);
  const attempts = new Map(rows.map((row) => [row[0], row])); // the last of each rate
  expect([head, ...attempts.keys()]).toEqual([lines[0], "2", "3"]);
  for (const [offered, answered, failed, , , , loopMs, heapMiB, ...cpu] of attempts.values()) {
    expect(cpu).toHaveLength(1);
    expect(Number(answered)).toBeGreaterThanOrEqual(Number(offered) * 0.95); // the limit of the command
    expect([failed, Number(loopMs) > 0, Number(heapMiB) > 1]).toEqual(["0", true, true]);
  }
  expect(out).toContain(capacity);
  expect(printed.slice(-2)).toEqual([
    "usual capacity: 0 requests/s",
    "workers: 0 (one worker serves the last rate; raise --max to find its capacity)",
  ]);
  expect([exitCode, readFileSync(history, "utf8")]).toEqual([0, expect.stringContaining('"capacity": 3,')]);
});

test("no request is dropped when the service is shut down under load, and its stop tasks are listed", async () => {
  const { words, lines } = exampleOf("drain");
  const report = await firstSuccess(
    () => runJson<DrainReport>([...words, ...quickDrain]),
    ({ requests }) => requests.dropped === 0,
  );
  expect(report).toMatchObject({ exitCode: 0, requests: { dropped: 0, errors: 0 }, exit: { code: 0 } });
  expect(report.requests.duringDrain).toBeGreaterThan(0);
  expect(report.closers.map(({ name }) => name)).toEqual(expect.arrayContaining(["database", "durable"]));
  expect(lines).toContain("no request dropped");
});

const cellsOf = (line: string): readonly string[] => line.trim().split(/\s+/);

interface Explanation {
  readonly status: number;
  readonly steps: readonly { readonly name: string; readonly reasons: readonly string[] }[];
}

interface DrainReport {
  readonly requests: { readonly dropped: number; readonly errors: number; readonly duringDrain: number };
  readonly exit: { readonly code: number | null } | null;
  readonly closers: readonly { readonly name: string }[];
}

interface ListedCode {
  readonly code: string;
  readonly package: string;
}

const deployment = `apiVersion: apps/v1
kind: Deployment
metadata: { name: books }
spec:
  template:
    spec:
      terminationGracePeriodSeconds: 5
      containers: [{ name: books, image: books:1, ports: [{ containerPort: 8000 }] }]
`;
