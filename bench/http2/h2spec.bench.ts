/**
 * Runs h2spec, a conformance test of HTTP/2 servers, against `@framework/http2` and against bare `node:http2`, both without TLS, and compares the failed cases.
 *
 *   pnpm --filter @framework/bench bench:h2spec PROGRAM
 *
 * PROGRAM is a build of https://github.com/summerwind/h2spec (`go build ./cmd/h2spec`). Optional: no other program needs Go, and no other check runs it.
 */
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gate, printTable, printTitle } from "../measure/report.ts";
import { startServer } from "../measure/server.ts";

/** Intended failures: without the HTTP/2 preface a connection is HTTP/1.1 on the same port, and gets a reply before it closes. */
const intendedFailures: ReadonlySet<string> = new Set(["http2/3.5 Sends invalid connection preface"]);

const [program] = process.argv.slice(2);
if (program === undefined) throw new Error("PROGRAM is required: bench:h2spec PROGRAM");

/** Runs h2spec; returns the names of failed cases, and the number of all cases. */
const runH2spec = async (file: string): Promise<{ readonly failed: Set<string>; readonly cases: number }> => {
  const folder = await mkdtemp(join(tmpdir(), "h2spec-"));
  const report = join(folder, "report.xml");
  await using server = await startServer(file, [], [], { NODE_ENV: "production" });
  await new Promise<void>((resolve) => {
    // ignores the exit code, which is 1 when a case fails: the report has all results
    execFile(program, ["-h", "127.0.0.1", "-p", String(server.port), "-o", "5", "-j", report], () =>
      resolve(),
    );
  });
  const text = await readFile(report, "utf8");
  await rm(folder, { recursive: true });
  const failed = new Set<string>();
  const cases = [
    ...text.matchAll(/<testcase package="([^"]*)" classname="([^"]*)"[^>]*?(?:\/>|>([^]*?)<\/testcase>)/g),
  ];
  for (const [, section = "", name = "", content = ""] of cases)
    if (/<(?:failure|error)/.test(content)) failed.add(`${section} ${name}`);
  return { failed, cases: cases.length };
};

printTitle("h2spec, without TLS");
const ours = await runH2spec("http2-framework.ts");
const bare = await runH2spec("http2-bare.ts");
const all = [...new Set([...ours.failed, ...bare.failed])].sort();
const mark = (failed: ReadonlySet<string>, name: string): string => (failed.has(name) ? "fails" : "passes");
printTable(
  [`case, of ${ours.cases}`, "ours", "node:http2"],
  all.map((name) => [name, mark(ours.failed, name), mark(bare.failed, name)]),
);
const regressions = all.filter(
  (name) => ours.failed.has(name) && !bare.failed.has(name) && !intendedFailures.has(name),
);
gate(ours.cases > 100, "h2spec ran more than 100 cases");
gate(regressions.length === 0, "every case that passes on bare node:http2 passes, except intended failures");
