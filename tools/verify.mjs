// Runs all checks of a change; the last line has the totals.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, readFileSync, rmSync } from "node:fs";

const found = () =>
  globSync(
    "{packages/*,apps/*,tests/*,bench,tools,tools/services,tools/warm-processes}/test{-int,}-results.json",
  );
for (const file of found()) rmSync(file); // remove stale counts; turbo restores cached ones

// Side by side, with more tasks than cores: tests of processes and servers mostly wait.
const sideBySide = [
  "turbo run build lint test --concurrency=3 --continue=dependencies-successful --output-logs=new-only",
  "node --conditions=@framework/source --disable-warning=TimeoutNegativeWarning tools/services/src/main.ts -- turbo run test:int --concurrency=3 --continue=dependencies-successful --output-logs=new-only",
  "pnpm --silent --filter @framework/bench run bench:instructions:check",
  "oxfmt --check",
  "knip",
];
const afterBuild = ["node tools/src/published/main.ts", "node tools/src/structure/main.ts"];

const fails = async (step) => {
  const [status] = await once(spawn(step, { shell: true, stdio: "inherit" }), "exit");
  return status === 0 ? [] : [step];
};
const failed = (await Promise.all(sideBySide.map(fails))).flat();
for (const step of afterBuild) failed.push(...(await fails(step)));

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
