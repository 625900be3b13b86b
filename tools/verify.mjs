// Runs all checks of a change; the last lines have every failed test and the totals.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, readFileSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { memoryFolder } from "./memory-folder.mjs";

const found = () =>
  globSync(
    "{packages/*,apps/*,tests/*,bench,tools,tools/bundled-sources,tools/services,tools/warm-processes}/test{-int,}-results.json",
  );
for (const file of found()) rmSync(file); // remove stale counts; turbo restores cached ones

const turbo = (tasks) =>
  `turbo run ${tasks} --concurrency=3 --continue=dependencies-successful --output-logs=new-only`;

// The lists run concurrently, the steps of each in order. There are more tasks than cores: tests of processes and servers mostly wait, and so do the
// servers whose instructions are counted. The builds begin first, so that they exist when checks and tests need them; concurrently with the first of
// them, on which all others wait, and the starting servers there is time for the checks that need no build. The tests of the
// tools take longest, and would be the last of the first list, with a core to spare. Of the first list's tests, those that take long and that turbo would
// begin last, since they depend on all others, come first.
const long = ["books", "cli", "interplay", "runtimes"];
const filters = (prefix) => long.map((name) => ` --filter=${prefix}@framework/${name}`).join("");
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

// The compiler and the type-aware linter are short Go programs: without collecting garbage they take a fifth less processor time, and on one core, without duplicate work
// of parallel checkers, a sixth less. The lists keep the other cores busy.
const inMemory = process.env.TMPDIR === undefined ? memoryFolder() : undefined;
const temporary = inMemory === undefined ? {} : { TMPDIR: inMemory };
const removeMemory = () => inMemory && rmSync(inMemory, { recursive: true, force: true, maxRetries: 5 });
process.on("exit", removeMemory);

// A hundred processes load jest, and others the same programs again and again: without Node's compile cache, that is half of a start.
const codeCache = `${import.meta.dirname}/../node_modules/.cache/node-compile-cache`;

// glibc gives memory above 128 KiB back to the system at each release, and has every page of it filled with zeros again at the next use: for tests that send
// and receive large bodies a tenth of the processor time. Short processes may keep their memory.
const keptMemory = {
  MALLOC_MMAP_THRESHOLD_: 32 * 2 ** 20,
  MALLOC_TOP_PAD_: 16 * 2 ** 20,
  MALLOC_TRIM_THRESHOLD_: 256 * 2 ** 20,
};

const env = {
  GOGC: "off",
  GOMAXPROCS: "1",
  GOMEMLIMIT: "2GiB",
  NODE_COMPILE_CACHE: codeCache,
  ...keptMemory,
  ...temporary,
  ...process.env,
};

// A signal ends this process when its steps have ended: their files in memory are removed only then.
const running = new Set();
const replaced = process.platform === "win32" ? "" : "exec "; // a signal for the shell is one for the step
let endedBy = null;
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"])
  process.once(signal, () => {
    endedBy = signal;
    if (signal === "SIGTERM") for (const child of running) child.kill(signal); // a terminal sends the others to all
  });

/** The steps of a list that failed; the others run even after a failure. */
const failuresOf = async (steps) => {
  const failed = [];
  for (const step of steps) {
    if (endedBy !== null) break;
    const child = spawn(`${replaced}${step}`, { shell: true, stdio: "inherit", env });
    running.add(child);
    const [status] = await once(child, "exit");
    running.delete(child);
    if (status !== 0) failed.push(step);
  }
  return failed;
};
const failed = (await Promise.all(lists.map(failuresOf))).flat();
if (endedBy !== null) {
  removeMemory();
  process.kill(process.pid, endedBy);
  await new Promise(() => {});
}

const total = { passed: 0, failed: 0, skipped: 0 };
for (const file of found()) {
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
