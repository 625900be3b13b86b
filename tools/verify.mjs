// Runs all checks of a change; the last lines list every failed test and the totals.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, readFileSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { memoryFolder } from "./memory-folder.mjs";

const resultFiles = () =>
  globSync(
    "{packages/*,apps/*,tests/*,bench,tools,tools/bundled-sources,tools/services,tools/warm-processes}/test{-int,}-results.json",
  );
for (const file of resultFiles()) rmSync(file); // remove stale counts; turbo restores cached ones

const turbo = (tasks) =>
  `turbo run ${tasks} --concurrency=3 --continue=dependencies-successful --output-logs=new-only`;

// The lists run concurrently, the steps of each list sequentially. There are more tasks than cores, because tests of processes and servers mostly wait, and so do the
// servers whose instructions are counted. The builds begin first, because checks and tests need them; the checks that need no build run concurrently with the first
// builds and the start of the servers. The tests of the tools take longest, so they are in the second list instead of the end of the first. In the first list
// the long tests run before the others, because turbo would begin them last: they depend on all other packages.
const longTests = ["books", "cli", "interplay", "runtimes"];
const filters = (prefix) => longTests.map((name) => ` --filter=${prefix}@framework/${name}`).join("");
const lists = [
  [
    turbo("build"),
    turbo("lint"),
    "node tools/src/published/main.ts",
    turbo(`test${filters("")}`),
    turbo(`test --filter=!@framework/tools${filters("!")}`),
  ],
  [
    `node --conditions=@framework/source --disable-warning=TimeoutNegativeWarning tools/services/src/main.ts -- ${turbo("test:int")}`,
    turbo("test --filter=@framework/tools"),
    "pnpm --silent --filter @framework/bench run bench:instructions:check",
  ],
  ["node tools/src/structure/main.ts", "oxfmt --check", "knip"],
];

// The compiler and the type-aware linter are short Go programs. Without garbage collection they take a fifth less processor time, and on one core, without the duplicate
// work of parallel checkers, a sixth less. The lists use the other cores.
const memoryPath = process.env.TMPDIR === undefined ? memoryFolder() : undefined;
const temporary = memoryPath === undefined ? {} : { TMPDIR: memoryPath };
const removeMemoryFolder = () =>
  memoryPath && rmSync(memoryPath, { recursive: true, force: true, maxRetries: 5 });
process.on("exit", removeMemoryFolder);

// A hundred processes load jest, and others repeatedly load the same programs: without the compile cache of Node, compilation takes half of each start.
const codeCache = `${import.meta.dirname}/../node_modules/.cache/node-compile-cache`;

// glibc returns each freed block above 128 KiB to the system, which zeroes its pages at the next allocation. For tests that send and receive large bodies this takes
// a tenth of the processor time, so these short processes keep their memory.
const mallocSettings = {
  MALLOC_MMAP_THRESHOLD_: 32 * 2 ** 20,
  MALLOC_TOP_PAD_: 16 * 2 ** 20,
  MALLOC_TRIM_THRESHOLD_: 256 * 2 ** 20,
};

const env = {
  GOGC: "off",
  GOMAXPROCS: "1",
  GOMEMLIMIT: "2GiB",
  NODE_COMPILE_CACHE: codeCache,
  ...mallocSettings,
  ...temporary,
  ...process.env,
};

// A signal ends this process only after its steps have ended, because then their files in memory can be removed.
const running = new Set();
const execPrefix = process.platform === "win32" ? "" : "exec "; // so a signal for the shell reaches the step
let endSignal = null;
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"])
  process.once(signal, () => {
    endSignal = signal;
    if (signal === "SIGTERM") for (const child of running) child.kill(signal); // a terminal sends the other signals to all processes
  });

/** Runs the steps of a list, also after a failure, and returns the failed ones. */
const runSteps = async (steps) => {
  const failed = [];
  for (const step of steps) {
    if (endSignal !== null) break;
    const child = spawn(`${execPrefix}${step}`, { shell: true, stdio: "inherit", env });
    running.add(child);
    const [status] = await once(child, "exit");
    running.delete(child);
    if (status !== 0) failed.push(step);
  }
  return failed;
};
const failed = (await Promise.all(lists.map(runSteps))).flat();
if (endSignal !== null) {
  removeMemoryFolder();
  process.kill(process.pid, endSignal);
  await new Promise(() => {});
}

const total = { passed: 0, failed: 0, skipped: 0 };
for (const file of resultFiles()) {
  const counts = JSON.parse(readFileSync(file, "utf8"));
  for (const key of Object.keys(total)) total[key] += counts[key];
  for (const { file: suite, test, message } of counts.failures ?? [])
    console.log(`\nFAILED ${dirname(file)}/${suite}${test && ` › ${test}`}\n${message}`);
}
for (const step of failed) console.log(`failed: ${step}`);
const incomplete = process.env.CI !== undefined && total.skipped > 0; // in CI a skipped test is a failure
if (incomplete) console.log("failed: in CI no test may be skipped");
console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
process.exitCode = incomplete || failed.length > 0 || total.failed > 0 || total.passed === 0 ? 1 : 0;
