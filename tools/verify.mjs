// Runs all checks of a change; the last lines have every failed test and the totals.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, readFileSync, rmSync } from "node:fs";
import { dirname } from "node:path";

const found = () =>
  globSync(
    "{packages/*,apps/*,tests/*,bench,tools,tools/services,tools/warm-processes}/test{-int,}-results.json",
  );
for (const file of found()) rmSync(file); // remove stale counts; turbo restores cached ones

// The steps of a phase run side by side, with more tasks than cores: tests of processes and servers mostly wait.
const phases = [
  [
    "turbo run build lint test --concurrency=3 --continue=dependencies-successful --output-logs=new-only",
    "node --conditions=@framework/source --disable-warning=TimeoutNegativeWarning tools/services/src/main.ts -- turbo run test:int --concurrency=3 --continue=dependencies-successful --output-logs=new-only",
  ],
  [
    "pnpm --silent --filter @framework/bench run bench:instructions:check",
    "node tools/src/published/main.ts",
    "node tools/src/structure/main.ts",
    "oxfmt --check",
    "knip",
  ],
];

/** The steps that failed. */
const run = async (steps) => {
  const ends = steps.map((step) => once(spawn(step, { shell: true, stdio: "inherit" }), "exit"));
  const statuses = (await Promise.all(ends)).map(([status]) => status);
  return steps.filter((_, index) => statuses[index] !== 0);
};
const failed = [];
for (const steps of phases) failed.push(...(await run(steps)));

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
