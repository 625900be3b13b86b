// Runs all checks of a change; the last line has the totals.
import { spawnSync } from "node:child_process";
import { globSync, readFileSync, rmSync } from "node:fs";

const found = () =>
  globSync(
    "{packages/*,apps/*,tests/*,bench,tools,tools/services,tools/warm-processes}/test{-int,}-results.json",
  );
for (const file of found()) rmSync(file); // remove stale counts; turbo restores cached ones

// More tasks than cores: tests of processes and servers mostly wait.
const steps = [
  "turbo run build lint test --concurrency=3 --continue=dependencies-successful --output-logs=new-only",
  "node --conditions=@framework/source --disable-warning=TimeoutNegativeWarning tools/services/src/main.ts -- turbo run test:int --concurrency=4 --continue=dependencies-successful --output-logs=new-only",
  "pnpm --silent --filter @framework/bench run bench:instructions:check",
  "node tools/src/published/main.ts",
  "node tools/src/structure/main.ts",
  "oxfmt --check",
  "knip",
];
const failed = steps.filter((step) => spawnSync(step, { shell: true, stdio: "inherit" }).status !== 0);

const total = { passed: 0, failed: 0, skipped: 0 };
for (const file of found()) {
  const counts = JSON.parse(readFileSync(file, "utf8"));
  for (const key of Object.keys(total)) total[key] += counts[key];
}
for (const step of failed) console.log(`failed: ${step}`);
const incomplete = process.env.CI !== undefined && total.skipped > 0; // in CI a skipped test is a failure
if (incomplete) console.log("failed: in CI no test may be skipped");
console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
process.exitCode = incomplete || failed.length > 0 || total.failed > 0 || total.passed === 0 ? 1 : 0;
