import { resolve } from "node:path";
import { editionIn, runSuite } from "./run-suite.test-kit.ts";
import { differences, countPassed } from "./unmet.test-kit.ts";

// Runs the public suite http-cache-tests, from npm or from a clone of its repository. Prints the failures of required and optimal tests, and the totals.
// Exits with 1 if the failures differ from the list.
const [folder] = process.argv.slice(2);
const edition = editionIn(folder === undefined ? undefined : resolve(folder));
const verdicts = await runSuite(edition);
for (const { id, kind, failure } of verdicts)
  if (kind !== "check" && failure !== null) console.log(`${kind} ${id}: ${failure}`);
console.log(`required: ${countPassed(verdicts, "required")}, optimal: ${countPassed(verdicts, "optimal")}`);
const unexpected = differences(edition.name, verdicts);
for (const line of unexpected) console.error(`not as listed: ${line}`);
process.exitCode = unexpected.length > 0 ? 1 : 0;
